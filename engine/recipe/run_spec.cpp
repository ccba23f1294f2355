// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/run_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/arch/module_list.h"
#include "engine/core/text.h"
#include "engine/recipe/run_spec_fields.h"

namespace octet::recipe {
namespace {

constexpr const char* kVersionKey = "octet_run";
constexpr int64_t kByteValues = 256;
constexpr double kMostParameters = 10e9;  // 16 bytes each with AdamW: 160 GB
constexpr size_t kMostRuns = 256;

Error wrong(std::string message, std::string hint = "") {
    return {ErrorCode::Usage, std::move(message), std::move(hint)};
}

Result<void> checkVersion(const Json& json, const std::string& what) {
    if (!json.is_object()) return wrong(fmt::format("{}: expected an object, found {}.", what, jsonKind(json)));
    if (!json.contains(kVersionKey)) {
        return wrong(fmt::format("{}: not a run spec, the key \"{}\" is missing.", what, kVersionKey),
                     fmt::format("A run spec starts with \"{}\": {}.", kVersionKey, kRunVersion));
    }
    const Json& version = json[kVersionKey];
    if (!version.is_number_integer() || version.get<int64_t>() < 1) {
        return wrong(fmt::format("{}: {}: expected {}, found {}.", what, kVersionKey, kRunVersion, jsonKind(version)));
    }
    if (version.get<int64_t>() > kRunVersion) {
        return Error{ErrorCode::NewerVersion,
                     fmt::format("{}: written by a newer Octet (run version {}; this one reads up to {}).", what,
                                 version.dump(), kRunVersion),
                     "Update Octet."};
    }
    return {};
}

Result<void> checkModel(const RunSpec& spec) {
    const auto model = arch::parseModelSpec(spec.model);
    if (!model) return model.error();
    const double parameters = arch::parameterCount(arch::listModules(*model));
    if (parameters > kMostParameters) {
        return wrong(fmt::format("Model \"{}\" has {:.3g} billion weights; at most {:g} billion are trained.",
                                 spec.model, parameters / 1e9, kMostParameters / 1e9),
                     "Choose smaller dimensions.");
    }
    const bool bytes = !spec.data.starts_with("tokens:");
    if (bytes && model->vocab < kByteValues) {
        return wrong(fmt::format("Model \"{}\": vocab {} is below {}, but the data are bytes.", spec.model,
                                 model->vocab, kByteValues),
                     "Use vocab=256.");
    }
    return {};
}

Result<void> checkDevice(const std::string& device) {
    if (device == "auto" || device == "cpu" || device == "cuda") return {};
    const auto index = device.starts_with("cuda:") ? parseInteger(device.substr(5)) : std::nullopt;
    if (index && *index >= 0 && *index < 1'024) return {};
    return wrong(fmt::format("device: expected auto, cpu, cuda or cuda:N, found \"{}\".", device));
}

Result<void> checkLists(const RunSpec& spec) {
    const std::set<int64_t> seeds(spec.seeds.begin(), spec.seeds.end());
    if (seeds.size() != spec.seeds.size()) {
        return wrong("seeds: the same seed is given twice; its runs would be equal.", "Give each seed once.");
    }
    if (std::ranges::any_of(spec.recipes, &std::string::empty)) {
        return wrong("recipes: expected preset:NAME or a file, found an empty text.");
    }
    const size_t runs = spec.recipes.size() * spec.seeds.size();
    if (runs > kMostRuns) {
        return wrong(fmt::format("{} recipes with {} seeds make {} runs; at most {} fit in one experiment.",
                                 spec.recipes.size(), spec.seeds.size(), runs, kMostRuns),
                     "Use fewer seeds.");
    }
    return {};
}

}  // namespace

Result<RunSpec> runSpecFromJson(const Json& json, const std::string& what) {
    if (auto version = checkVersion(json, what); !version) return version.error();
    const auto values = readFields(json, infosOf(runFields()), {kVersionKey}, what);
    if (!values) return values.error();
    RunSpec spec;
    for (const ReadValue& read : *values)
        runFields()[read.field].set(spec, read.value);
    if (auto checked = checkRunSpec(spec); !checked) {
        Error error = checked.error();
        error.message = fmt::format("{}: {}", what, error.message);
        return error;
    }
    return spec;
}

Json runSpecToJson(const RunSpec& spec) {
    Json json;
    json[kVersionKey] = kRunVersion;
    for (const RunField& field : runFields())
        putAt(json, field.key, fieldToJson(field, field.get(spec)));
    return json;
}

Result<void> checkRunSpec(const RunSpec& spec) {
    for (const RunField& field : runFields()) {
        if (auto checked = checkField(field, field.get(spec), "run spec"); !checked) return checked;
    }
    if (auto checked = checkLists(spec); !checked) return checked;
    if (auto checked = checkModel(spec); !checked) return checked;
    if (spec.data.empty()) return wrong("data: expected sample, text:PATH or synthetic:SEED, found an empty text.");
    if (auto checked = checkDevice(spec.device); !checked) return checked;
    const OptimizerSpec& optimizer = spec.optimizer;
    if (optimizer.schedule == Schedule::Cosine && optimizer.minLr > optimizer.lr) {
        return wrong(fmt::format("optimizer.min_lr {} is above optimizer.lr {}.", numberText(optimizer.minLr),
                                 numberText(optimizer.lr)),
                     "The cosine falls from lr to min_lr: lower min_lr (--min-lr), or use --schedule constant.");
    }
    return {};
}

}  // namespace octet::recipe
