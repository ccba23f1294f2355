// SPDX-License-Identifier: Apache-2.0
// Grid and block of a launch.
#pragma once

#include <cstddef>

namespace octet::cuda {

struct LaunchShape {
    unsigned blocks = 1, blockRows = 1;  // grid.x, grid.y
    unsigned threads = 256;
    size_t sharedBytes = 0;  // dynamic
};

}  // namespace octet::cuda
