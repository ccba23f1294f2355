// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/te_library.h"

#include <fmt/format.h>

#include "engine/recipe/effective.h"

namespace octet::recipe {
namespace {

/// What the recipe itself comes to, whatever the target's way of running makes of it.
EffectiveRecipe alone(const Recipe& recipe) {
    Recipe single = recipe;
    single.target.parallel = "none";
    return effectiveRecipe(single);
}

}  // namespace

std::optional<Error> libraryRefusal(const Recipe& recipe) {
    return alone(recipe).refusal;
}

std::vector<std::string> fieldsWithoutEffect(const Recipe& recipe) {
    std::vector<std::string> notes;
    const EffectiveRecipe effective = alone(recipe);
    for (const char* key : {"te.amax_compute_algo", "te.interval", "te.override_linear_precision", "te.fp8_format"}) {
        const EffectiveField* field = fieldIn(effective, key);
        if (!field) continue;
        if (const std::string sentence = noEffectSentence(*field); !sentence.empty()) notes.push_back(sentence);
    }
    return notes;
}

std::vector<std::string> targetReports(const Recipe& recipe) {
    std::vector<std::string> notes;
    for (const TargetReport& report : effectiveRecipe(recipe).reports)
        notes.push_back(report.sentence);
    return notes;
}

std::string gemmsText(const std::array<bool, 3>& gemms) {
    std::vector<std::string> names;
    for (size_t i = 0; i < gemms.size(); ++i) {
        if (gemms[i]) names.emplace_back(kGemmNames[i]);
    }
    if (names.size() < 2) return names.empty() ? "none" : names[0];
    const std::string last = names.back();
    names.pop_back();
    return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace octet::recipe
