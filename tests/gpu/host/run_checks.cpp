// SPDX-License-Identifier: Apache-2.0
// The rows of `octet-engine selfcheck`, on the host twin of the kernels. Arguments: --every N, then names of checks.
// Prints a line per check; ends with 1 when a row failed.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/backend/device_checks.h"
#include "tests/gpu/host/host_device.h"

int main(int argc, char** argv) {
    octet::backend::CheckOptions options;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--every") == 0 && i + 1 < argc)
            options.every = std::atoi(argv[++i]);
        else
            options.only.emplace_back(argv[i]);
    }
    octet::backend::Device device(octet::onhost::hostDeviceTable(), 0);
    int failed = 0;
    try {
        for (const auto& result : octet::backend::checkDevice(device, options)) {
            std::printf("%-18s %6lld rows, %lld wrong%s%s\n", result.name.c_str(), static_cast<long long>(result.rows),
                        static_cast<long long>(result.failures),
                        result.skippedBecause.empty() ? "" : ", skipped: ", result.skippedBecause.c_str());
            if (result.failures > 0) std::printf("  %s\n", result.firstFailure.c_str());
            failed += result.failures > 0 || (result.rows == 0 && result.skippedBecause.empty()) ? 1 : 0;
        }
    } catch (const octet::backend::DeviceError& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
    return failed == 0 ? 0 : 1;
}
