// SPDX-License-Identifier: Apache-2.0
// Finds and loads the GPU plug-in. Nothing of CUDA is loaded where no driver is found. No torch.
#pragma once

#include <string>
#include <vector>

#include "engine/backend/device_interface.h"
#include "engine/core/result.h"

namespace octet::backend {

struct DevicePlugin {
    std::string driver = "libcuda.so.1";  // looked for first; empty: not looked for
    std::string path;                     // of the plug-in
};

/// Beside the program, or in ../lib/octet. OCTET_CUDA_PLUGIN names another one, and skips the look for the driver.
[[nodiscard]] DevicePlugin defaultDevicePlugin();

/// Loads it once and keeps it. Refused, with what is missing and what to do: no driver, no plug-in, a library that the
/// plug-in needs, a plug-in of another Octet.
[[nodiscard]] Result<const DeviceTable*> loadDevicePlugin(const DevicePlugin& plugin = defaultDevicePlugin());

/// The GPUs; loads the plug-in.
[[nodiscard]] Result<std::vector<DeviceInfo>> listDevices();

/// "cuda" or "cuda:1" as a GPU's index, checked against the GPUs that are there.
[[nodiscard]] Result<int> deviceIndex(const std::string& device);

}  // namespace octet::backend
