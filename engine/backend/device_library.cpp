// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/device_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "engine/core/text.h"
#include "engine/core/version.h"

namespace octet::backend {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPluginName = "liboctet_cuda.so";

Error refused(std::string message, std::string hint) {
    return {ErrorCode::Refused, std::move(message), std::move(hint)};
}

fs::path programFolder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::string lastLoaderError() {
    const char* text = dlerror();
    return text == nullptr ? "unknown reason" : text;
}

Result<void> findDriver(const std::string& name) {
    if (name.empty()) return {};
    // Left open: the driver stays loaded with the plug-in anyway.
    if (dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return {};
    return refused(fmt::format("No NVIDIA driver was found: {} is missing.", name),
                   "Install the NVIDIA driver (580 or newer), or use --device cpu.");
}

Result<const DeviceTable*> tableOf(const std::string& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        return refused(fmt::format("This build of Octet has no GPU plug-in: {} is not there.", path),
                       "Build with the CUDA 13 toolkit (-DOCTET_CUDA=ON), or use --device cpu.");
    }
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return refused(fmt::format("The GPU plug-in could not be loaded: {}.", lastLoaderError()),
                       "Install the library that is named, or use --device cpu.");
    }
    const auto function = reinterpret_cast<DeviceTableFunction>(dlsym(library, kDeviceTableSymbol));
    if (function == nullptr) {
        return refused(fmt::format("{} is no GPU plug-in of Octet: it has no {}.", path, kDeviceTableSymbol),
                       "Remove it, or name another one in OCTET_CUDA_PLUGIN.");
    }
    const DeviceTable* table = function();
    const bool fromThisOctet =
        table->interfaceVersion == kDeviceInterface && table->octetVersion == std::string(version());
    if (fromThisOctet) return table;
    return refused(fmt::format("The GPU plug-in was built for another Octet: expected version {} (interface {}), found "
                               "{} (interface {}).",
                               version(), kDeviceInterface, table->octetVersion, table->interfaceVersion),
                   "Build plug-in and program together.");
}

}  // namespace

DevicePlugin defaultDevicePlugin() {
    DevicePlugin plugin;
    if (const char* named = std::getenv("OCTET_CUDA_PLUGIN"); named != nullptr && *named != '\0') {
        plugin.driver.clear();
        plugin.path = named;
        return plugin;
    }
    const fs::path beside = programFolder() / kPluginName;
    std::error_code ignored;
    plugin.path = fs::exists(beside, ignored) ? beside : programFolder().parent_path() / "lib" / "octet" / kPluginName;
    return plugin;
}

Result<const DeviceTable*> loadDevicePlugin(const DevicePlugin& plugin) {
    if (auto driver = findDriver(plugin.driver); !driver) return driver.error();
    return tableOf(plugin.path);
}

Result<std::vector<DeviceInfo>> listDevices() {
    const auto table = loadDevicePlugin();
    if (!table) return table.error();
    Failure failure;
    int32_t count = 0;
    std::vector<DeviceInfo> devices(16);
    if (!(*table)->list(devices.data(), static_cast<int32_t>(devices.size()), &count, &failure)) {
        return refused(failure.text, "Use --device cpu.");
    }
    devices.resize(std::min(devices.size(), static_cast<size_t>(count)));
    return devices;
}

Result<int> deviceIndex(const std::string& device) {
    const auto devices = listDevices();
    if (!devices) return devices.error();
    const auto index = device.starts_with("cuda:") ? parseInteger(device.substr(5)).value_or(-1) : 0;
    if (index >= 0 && index < static_cast<int64_t>(devices->size())) return static_cast<int>(index);
    return refused(fmt::format("Expected a GPU for --device {}, found {} of them.", device, devices->size()),
                   "octet-engine devices lists what is there.");
}

}  // namespace octet::backend
