// SPDX-License-Identifier: Apache-2.0
// Precompiled once for all files that see torch; nothing includes it by hand.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include <nlohmann/json.hpp>
