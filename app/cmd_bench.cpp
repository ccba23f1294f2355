// SPDX-License-Identifier: Apache-2.0
// octet-engine bench: speed as ratios against something measured in the same run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/context.h"
#include "app/process_tuning.h"
#include "app/table.h"
#include "engine/backend/device_bench.h"
#include "engine/backend/device_library.h"
#include "engine/train/benchmarks.h"

namespace octet::app {
namespace {

constexpr CommandText kText{
    "bench", "Measure speed against something in the same run",
    "Timings on a shared machine are noisy, so each figure is a ratio or stands beside what it is measured "
    "against, and the step bench prints the baseline against itself as a control.",
    "octet-engine bench\n"
    "octet-engine bench --only step.fp8,statistics --pairs 60 --json"};

struct BenchOptions {
    std::string device = "cpu";
    std::vector<std::string> only;
    train::BenchOptions measure;
};

/// Kernels and GEMMs of a GPU; without one the bench has failed, not its arguments.
Result<std::vector<train::BenchResult>> benchGpu(const std::string& name) {
    const auto index = backend::deviceIndex(name);
    if (!index) return Error{ErrorCode::Failed, index.error().message, index.error().hint};
    const auto table = backend::loadDevicePlugin();
    if (!table) return Error{ErrorCode::Failed, table.error().message, table.error().hint};
    const auto devices = backend::listDevices();
    if (!devices) return Error{ErrorCode::Failed, devices.error().message, devices.error().hint};
    const backend::DeviceInfo& info = (*devices)[static_cast<size_t>(*index)];
    try {
        backend::Device device(**table, *index);
        backend::DeviceBenchOptions options;
        options.capability = info.capabilityMajor * 10 + info.capabilityMinor;
        std::vector<train::BenchResult> results;
        for (const auto& result : backend::benchDevice(device, options))
            results.push_back({result.name, result.value, result.unit, result.ratio, result.against});
        return results;
    } catch (const backend::DeviceError& trouble) {
        return Error{ErrorCode::Failed, trouble.what(), ""};
    }
}

Json asJson(const train::BenchResult& result) {
    return {{"name", result.name},
            {"value", jsonNumber(result.value)},
            {"unit", result.unit},
            {"ratio", jsonNumber(result.ratio)},
            {"against", result.against}};
}

Result<void> bench(const Context& context, const BenchOptions& options) {
    tuneProcessForTraining();
    const auto announce = [&](const std::string& doing) {
        if (!context.json) fmt::print(stderr, "{} ...\n", doing);
    };
    const auto results = options.device == "cpu" ? train::runBenchmarks(options.only, options.measure, announce)
                                                 : benchGpu(options.device);
    if (!results) return results.error();
    if (context.json) {
        Json list = Json::array();
        for (const train::BenchResult& result : *results)
            list.push_back(asJson(result));
        printJson({{"machine", train::benchMachine()}, {"results", list}});
        return {};
    }
    Table table({{"name"}, {"value", Table::Align::Right}, {"unit"}, {"ratio", Table::Align::Right}, {"against"}});
    for (const train::BenchResult& result : *results) {
        table.addRow({result.name, fmt::format("{:.4g}", result.value), result.unit,
                      fmt::format("{:.3f}", result.ratio), result.against});
    }
    fmt::print("{}\n{}", train::benchMachine(), table.text());
    return {};
}

}  // namespace

void addBenchCommand(CLI::App& app, Context& context) {
    const auto options = std::make_shared<BenchOptions>();
    CLI::App& command = addCommand(app, context, kText, [&context, options] { return bench(context, *options); });
    command.add_option("--device", options->device, "cpu, or cuda or cuda:N for kernels and GEMMs of a GPU")
        ->capture_default_str()
        ->type_name("D");
    command.add_option("--only", options->only, "Names, separated by commas")->delimiter(',')->type_name("NAME");
    command.add_option("--pairs", options->measure.pairs, "Interleaved pairs of the step bench")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str()
        ->type_name("N");
    command.add_option("--model", options->measure.model, "Model of the step bench")
        ->capture_default_str()
        ->type_name("SPEC");
}

}  // namespace octet::app
