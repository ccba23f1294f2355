// SPDX-License-Identifier: Apache-2.0
// A device that runs the kernels of engine/cuda on the host, behind the table that a GPU plug-in fills.
#pragma once

#include "engine/backend/device_interface.h"

namespace octet::onhost {

[[nodiscard]] const backend::DeviceTable& hostDeviceTable();

}  // namespace octet::onhost
