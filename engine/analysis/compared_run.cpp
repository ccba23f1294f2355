// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/compared_run.h"

namespace octet::analysis {
namespace {

/// Text as it is, anything else as JSON; null and absent as "".
std::string factText(const Json& value) {
    if (value.is_null()) return {};
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string factAt(const Json& object, const char* key) {
    return object.is_object() && object.contains(key) ? factText(object[key]) : std::string();
}

}  // namespace

std::vector<series::Fact> comparedFacts(const Json& environment, const Json& spec) {
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

Result<series::ComparedRun> comparedRun(RunSource& source, const store::RunInfo& run, const Json& spec) {
    auto loss = samplesOf(source, run.id, "loss");
    if (!loss) return loss.error();
    series::ComparedRun compared;
    compared.id = run.id.value;
    compared.name = run.name;
    compared.group = run.recipeName;
    compared.seed = run.seed;
    compared.baseline = run.baseline;
    compared.twin = run.hidden;
    compared.recipeChanges = run.recipeChanges;
    compared.facts = comparedFacts(run.environment, spec);
    compared.step = std::move(loss->step);
    compared.loss = std::move(loss->value);
    return compared;
}

}  // namespace octet::analysis
