// SPDX-License-Identifier: Apache-2.0
// The host twin as a plug-in, so that octet-engine itself can be run against it without a GPU (OCTET_CUDA_PLUGIN).
#include <cstdio>

#include "tests/gpu/host/host_device.h"

extern "C" const octet::backend::DeviceTable* octetDeviceTable() {
    static octet::backend::DeviceTable table = octet::onhost::hostDeviceTable();
    std::snprintf(table.octetVersion, sizeof table.octetVersion, "%s", OCTET_VERSION);
    return &table;
}
