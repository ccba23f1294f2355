// SPDX-License-Identifier: Apache-2.0
// octet-engine selfcheck: a device's kernels against the CPU reference, row by row.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/context.h"
#include "app/table.h"
#include "app/terminal.h"
#include "engine/backend/cpu_checks.h"
#include "engine/backend/device_library.h"
#include "engine/core/text.h"
#include "engine/numerics/quantise.h"

namespace octet::app {
namespace {

using backend::CheckResult;

constexpr CommandText kText{
    "selfcheck", "Check a device's FP8 kernels against the reference",
    "Codes, scales and counters must be equal bit for bit, for every element type, format and scaling, odd shapes, "
    "unaligned tensors, NaN, infinities and subnormals; GEMMs must lie within the bound of their accumulation.",
    "octet-engine selfcheck\n"
    "octet-engine selfcheck --device cuda --json"};

struct SelfcheckOptions {
    std::string device = "cpu";
    std::vector<std::string> only;
};

/// Without a GPU the check has failed, not its arguments: exit code 1.
Error noDevice(const Error& why) {
    return {ErrorCode::Failed, why.message, why.hint};
}

Result<std::vector<CheckResult>> checkGpu(const Context& context, const SelfcheckOptions& options) {
    const auto index = backend::deviceIndex(options.device);
    if (!index) return noDevice(index.error());
    const auto table = backend::loadDevicePlugin();
    if (!table) return noDevice(table.error());
    try {
        backend::Device device(**table, *index);
        backend::CheckOptions checks;
        checks.only = options.only;
        checks.onStart = [&context](const std::string& name) {
            if (!context.json) putText(stderr, name + " ...\n");
        };
        return backend::checkDevice(device, checks);
    } catch (const backend::DeviceError& trouble) {
        return Error{ErrorCode::Failed, trouble.what(), ""};
    }
}

Result<void> checkNamesAreKnown(const SelfcheckOptions& options) {
    const auto known = backend::checkNames();
    for (const std::string& name : options.only) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        return Error{ErrorCode::Usage, fmt::format("Expected the name of a check, found \"{}\".", name),
                     fmt::format("There are {}.", fmt::join(known, ", "))};
    }
    return {};
}

Json asJson(const SelfcheckOptions& options, const std::vector<CheckResult>& results, bool passed) {
    Json list = Json::array();
    for (const CheckResult& result : results) {
        Json row{{"name", result.name}, {"rows", result.rows}, {"failures", result.failures}};
        if (!result.firstFailure.empty()) row["first_failure"] = result.firstFailure;
        if (!result.skippedBecause.empty()) row["skipped_because"] = result.skippedBecause;
        list.push_back(row);
    }
    return {{"device", options.device}, {"passed", passed}, {"checks", list}};
}

void printText(const std::vector<CheckResult>& results) {
    Table table({{"check"}, {"rows", Table::Align::Right}, {"wrong", Table::Align::Right}, {"first failure"}});
    for (const CheckResult& result : results) {
        const std::string& remark = result.skippedBecause.empty() ? result.firstFailure : result.skippedBecause;
        table.addRow({result.name, groupedDigits(result.rows), groupedDigits(result.failures), remark});
    }
    fmt::print("{}", table.text());
}

Result<void> selfcheck(Context& context, const SelfcheckOptions& options) {
    if (auto known = checkNamesAreKnown(options); !known) return known;
    const auto results =
        options.device == "cpu" ? Result<std::vector<CheckResult>>(backend::checkCpu()) : checkGpu(context, options);
    if (!results) return results.error();
    const bool passed =
        std::all_of(results->begin(), results->end(), [](const CheckResult& r) { return r.failures == 0; });
    if (context.json)
        printJson(asJson(options, *results, passed));
    else
        printText(*results);
    if (!passed) context.exitCode = 1;
    return {};
}

std::string deviceTrouble(const std::string& device) {
    if (device == "cpu" || device == "cuda") return {};
    if (device.starts_with("cuda:") && parseInteger(device.substr(5)).value_or(-1) >= 0) return {};
    return fmt::format("expected cpu, cuda or cuda:N, found \"{}\"", device);
}

}  // namespace

void addSelfcheckCommand(CLI::App& app, Context& context) {
    const auto options = std::make_shared<SelfcheckOptions>();
    CLI::App& command = addCommand(app, context, kText, [&context, options] { return selfcheck(context, *options); });
    command.add_option("--device", options->device, "cpu, cuda or cuda:N")
        ->check(deviceTrouble)
        ->capture_default_str()
        ->type_name("D");
    command.add_option("--only", options->only, "Names of checks on a GPU, separated by commas")
        ->delimiter(',')
        ->type_name("NAME");
}

}  // namespace octet::app
