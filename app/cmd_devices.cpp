// SPDX-License-Identifier: Apache-2.0
// octet-engine devices: what FP8 can run on here, and how each kind of recipe runs there.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <thread>

#include "app/commands.h"
#include "app/context.h"
#include "app/table.h"
#include "engine/backend/device_library.h"
#include "engine/backend/device_gemm.h"
#include "engine/numerics/quantise.h"

namespace octet::app {
namespace {

using backend::DeviceInfo;
using backend::ScaleMode;

constexpr CommandText kText{
    "devices", "List CPU and GPUs and what runs on them",
    "Names every device with memory and compute capability, and says for each kind of recipe whether the device "
    "multiplies FP8 itself (native), computes the same numbers in another way (emulated), or does not run it.",
    "octet-engine devices\n"
    "octet-engine devices --json"};

struct RecipeKind {
    const char* name;
    ScaleMode a, b;
};
constexpr std::array kKinds{RecipeKind{"te_delayed", ScaleMode::Tensor, ScaleMode::Tensor},
                            RecipeKind{"te_current", ScaleMode::Tensor, ScaleMode::Tensor},
                            RecipeKind{"te_block", ScaleMode::Block1x128, ScaleMode::Block128x128},
                            RecipeKind{"mxfp8", ScaleMode::Mx1x32, ScaleMode::Mx1x32},
                            RecipeKind{"torchao_tensorwise", ScaleMode::Tensor, ScaleMode::Tensor},
                            RecipeKind{"torchao_rowwise", ScaleMode::Row, ScaleMode::Row}};

/// Empty when the GPU multiplies this kind itself, else why not.
std::string whyNot(const RecipeKind& kind, const DeviceInfo& device) {
    backend::GemmRequest request;
    request.layer = kind.name;
    request.tokens = request.inFeatures = request.outFeatures = 256;
    request.a.scaling = kind.a;
    request.b.scaling = kind.b;
    request.capability = device.capabilityMajor * 10 + device.capabilityMinor;
    const auto plan = backend::planGemm(request);
    return plan ? "" : plan.error().message;
}

Json cpuAsJson() {
    Json recipes;
    for (const RecipeKind& kind : kKinds)
        recipes[kind.name] = "emulated";
    return {{"device", "cpu"},
            {"threads", std::thread::hardware_concurrency()},
            {"simd", numerics::simdTargetName()},
            {"trains", true},
            {"recipes", recipes}};
}

Json gpuAsJson(const DeviceInfo& device) {
    Json recipes;
    for (const RecipeKind& kind : kKinds)
        recipes[kind.name] = whyNot(kind, device).empty() ? "native" : "not at all";
    return {{"device", fmt::format("cuda:{}", device.index)},
            {"name", device.name},
            {"memory_bytes", device.memoryBytes},
            {"free_bytes", device.freeBytes},
            {"compute_capability", fmt::format("{}.{}", device.capabilityMajor, device.capabilityMinor)},
            {"multiprocessors", device.multiprocessors},
            {"trains", false},  // kernels and GEMMs are checked and measured there; runs train on the CPU
            {"recipes", recipes}};
}

void printTable(const std::vector<DeviceInfo>& gpus) {
    std::vector<Table::Column> columns{{"device"}, {"name"}, {"memory", Table::Align::Right}, {"capability"}};
    for (const RecipeKind& kind : kKinds)
        columns.push_back({kind.name});
    Table table(columns);
    std::vector<std::string> cpu{
        "cpu", fmt::format("{} threads, {}", std::thread::hardware_concurrency(), numerics::simdTargetName()), "", ""};
    cpu.resize(columns.size(), "emulated");
    table.addRow(cpu);
    for (const DeviceInfo& gpu : gpus) {
        std::vector<std::string> row{
            fmt::format("cuda:{}", gpu.index), gpu.name,
            fmt::format("{:.0f} GiB", static_cast<double>(gpu.memoryBytes) / static_cast<double>(1 << 30)),
            fmt::format("{}.{}", gpu.capabilityMajor, gpu.capabilityMinor)};
        for (const RecipeKind& kind : kKinds)
            row.emplace_back(whyNot(kind, gpu).empty() ? "native" : "not at all");
        table.addRow(row);
    }
    fmt::print("{}", table.text());
}

Result<void> listDevices(const Context& context) {
    const auto gpus = backend::listDevices();
    if (!context.json) {
        printTable(gpus ? *gpus : std::vector<DeviceInfo>{});
        if (!gpus) fmt::print("\n{}\n", gpus.error().message);
        return {};
    }
    Json devices = Json::array({cpuAsJson()});
    Json json;
    if (gpus) {
        for (const DeviceInfo& gpu : *gpus)
            devices.push_back(gpuAsJson(gpu));
    } else {
        json["why_no_gpu"] = gpus.error().message;
    }
    json["devices"] = devices;
    printJson(json);
    return {};
}

}  // namespace

void addDevicesCommand(CLI::App& app, Context& context) {
    addCommand(app, context, kText, [&context] { return listDevices(context); });
}

}  // namespace octet::app
