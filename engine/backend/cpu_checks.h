// SPDX-License-Identifier: Apache-2.0
// The CPU's own self-check: the SIMD passes against the plain reference, on this machine's instruction set.
#pragma once

#include <vector>

#include "engine/backend/device_checks.h"

namespace octet::backend {

[[nodiscard]] std::vector<CheckResult> checkCpu();

}  // namespace octet::backend
