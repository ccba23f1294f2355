// SPDX-License-Identifier: Apache-2.0
// Settings of the whole process for long training.
#pragma once

namespace octet::app {

/// Keeps freed memory (worth 7 % of a step) and lets idle threads sleep soon. The latter must be in the environment
/// before libgomp starts, so the program starts itself again once, with the same arguments. Call before other work.
void tuneProcessForTraining();

}  // namespace octet::app
