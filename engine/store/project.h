// SPDX-License-Identifier: Apache-2.0
// Where stores are kept when nobody names one.
#pragma once

#include <filesystem>

#include "engine/core/result.h"

namespace octet::store {

/// ~/Octet
[[nodiscard]] std::filesystem::path defaultProjectFolder();

/// The *.octet file of `folder` that was modified last; NotFound when there is none.
[[nodiscard]] Result<std::filesystem::path> newestProject(const std::filesystem::path& folder = defaultProjectFolder());

}  // namespace octet::store
