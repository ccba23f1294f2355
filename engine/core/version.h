// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace octet {

/// Octet's version, e.g. "0.1.0".
[[nodiscard]] const char* version();

}  // namespace octet
