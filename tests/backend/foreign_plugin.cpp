// SPDX-License-Identifier: Apache-2.0
// A GPU plug-in as another Octet would have built it; tst_device_library loads it.
#include <cstdio>

#include "engine/backend/device_interface.h"

extern "C" const octet::backend::DeviceTable* octetDeviceTable() {
    static octet::backend::DeviceTable table{};
    table.interfaceVersion = octet::backend::kDeviceInterface + 1;
    std::snprintf(table.octetVersion, sizeof table.octetVersion, "9.9.9");
    return &table;
}
