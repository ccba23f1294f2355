// SPDX-License-Identifier: Apache-2.0
#include "app/store_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/text.h"

namespace octet::app {
namespace {

/// Text as it is, anything else as JSON; null and absent as "".
std::string factText(const Json& value) {
    if (value.is_null()) return {};
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string factAt(const Json& object, const char* key) {
    return object.is_object() && object.contains(key) ? factText(object[key]) : std::string();
}

/// What must agree before two losses are compared; the seed is compared apart.
std::vector<series::Fact> factsOf(const Json& environment, const Json& spec) {
    std::vector<series::Fact> facts{{"model", factAt(environment, "model")},
                                    {"data hash", factAt(environment, "data_hash")},
                                    {"order hash", factAt(environment, "order_hash")},
                                    {"batch", factAt(environment, "batch")},
                                    {"micro-batches", factAt(environment, "micro_batches")},
                                    {"activations", factAt(environment, "activation_dtype")},
                                    {"planned steps", factAt(spec, "steps")},
                                    {"optimizer", factAt(spec, "optimizer")}};
    if (environment.is_object() && environment.contains("versions") && environment["versions"].is_object())
        for (const auto& [library, version] : environment["versions"].items())
            facts.emplace_back(library, factText(version));
    return facts;
}

Error noSuchRun(const std::string& reference, const std::vector<store::RunInfo>& runs) {
    std::vector<std::string> names;
    for (const store::RunInfo& run : runs)
        names.push_back(run.name);
    const auto nearest = nearestWord(reference, names);
    return {ErrorCode::NotFound, fmt::format("There is no run \"{}\" in this store.", reference),
            nearest ? fmt::format("Did you mean \"{}\"? `octet-engine runs` lists them.", *nearest)
                    : "`octet-engine runs` lists them with their ids."};
}

}  // namespace

Result<std::unique_ptr<store::Reader>> openStore(const Context& context) {
    const auto path = storePath(context);
    if (!path) return path.error();
    auto reader = store::Reader::open(*path);
    if (reader && !(*reader)->openingNote().empty()) printNote((*reader)->openingNote());
    return reader;
}

Result<store::RunInfo> findRun(store::Reader& reader, const std::string& reference) {
    const auto runs = reader.runs(true);
    if (!runs) return runs.error();
    const auto id = parseInteger(reference);
    const store::RunInfo* found = nullptr;
    for (const store::RunInfo& run : *runs) {
        const bool isNewer = !found || run.id > found->id;
        if (run.name == reference && !run.hidden && isNewer) found = &run;
    }
    for (const store::RunInfo& run : *runs)
        if (id && run.id.value == *id) found = &run;
    if (!found) return noSuchRun(reference, *runs);
    return *found;
}

std::string seriesName(const store::SeriesKey& key) {
    if (key.layer.empty()) return key.statistic;
    return fmt::format("{}/{}/{}", key.layer, key.operand.empty() ? key.gemm : key.operand, key.statistic);
}

Result<store::SeriesInfo> findSeries(const std::vector<store::SeriesInfo>& series, const std::string& name,
                                     const store::RunInfo& run) {
    std::vector<std::string> names;
    for (const store::SeriesInfo& one : series) {
        names.push_back(seriesName(one.key));
        if (names.back() == name) return one;
    }
    const auto nearest = nearestWord(name, names);
    const std::string list = fmt::format("`octet-engine show {}` lists what was recorded.", run.id.value);
    return Error{ErrorCode::NotFound, fmt::format("Run {} \"{}\" has no series \"{}\".", run.id.value, run.name, name),
                 nearest ? fmt::format("Did you mean \"{}\"? {}", *nearest, list) : list};
}

Result<store::SeriesData> samplesOf(store::Reader& reader, store::RunId run, const std::string& name) {
    const auto all = reader.series(run);
    if (!all) return all.error();
    for (const store::SeriesInfo& one : *all)
        if (seriesName(one.key) == name) return reader.samples(one.id);
    return store::SeriesData{};
}

Result<series::ComparedRun> comparedRun(store::Reader& reader, const store::RunInfo& run, const Json& spec) {
    auto loss = samplesOf(reader, run.id, "loss");
    if (!loss) return loss.error();
    series::ComparedRun compared;
    compared.id = run.id.value;
    compared.name = run.name;
    compared.group = run.recipeName;
    compared.seed = run.seed;
    compared.baseline = run.baseline;
    compared.twin = run.hidden;
    compared.recipeChanges = run.recipeChanges;
    compared.facts = factsOf(run.environment, spec);
    compared.step = std::move(loss->step);
    compared.loss = std::move(loss->value);
    return compared;
}

}  // namespace octet::app
