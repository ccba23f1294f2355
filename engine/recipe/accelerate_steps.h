// SPDX-License-Identifier: Apache-2.0
// The steps that accelerate_run.h is made of, shared by its source files.
#pragma once

#include <algorithm>
#include <span>

#include "engine/recipe/accelerate_python.h"
#include "engine/recipe/accelerate_run.h"

namespace octet::recipe {

inline constexpr const char* kFp8Prefix = "ACCELERATE_FP8_";

/// Builds the fields of a recipe object: argument before environment variable before default. After a first stop
/// nothing more happens.
class HandlerMaker {
public:
    HandlerMaker(const HandlerCall& call, const Environment& environment, const char* stage)
        : m_call(call), m_environment(environment), m_stage(stage) {}

    [[nodiscard]] Json& fields() { return m_fields; }
    [[nodiscard]] bool stopped() const { return m_stop.has_value(); }
    [[nodiscard]] std::optional<AccelerateStop> takeStop() { return std::move(m_stop); }

    /// The keyword argument, or null.
    [[nodiscard]] Json argument(const std::string& key) const;
    /// ACCELERATE_FP8_<KEY>; "fp8_format" is ACCELERATE_FP8_FORMAT.
    [[nodiscard]] std::optional<std::string> variable(const std::string& key) const;
    [[nodiscard]] bool truthVariable(const std::string& key, bool fallback);

    void refuseUnknown(std::span<const char* const> known);
    void truth(const char* key, bool fallback);
    void integer(const char* key, int64_t fallback);
    void stop(const char* exception, Trap trap, const std::string& where, const Json& found);

private:
    const HandlerCall& m_call;
    const Environment& m_environment;
    const char* m_stage;
    Json m_fields = Json::object();
    std::optional<AccelerateStop> m_stop;
};

/// "fp8_format" -> "ACCELERATE_FP8_FORMAT", "margin" -> "ACCELERATE_FP8_MARGIN"
[[nodiscard]] std::string variableName(const std::string& key);

[[nodiscard]] Json teDefaults();
void makeTeFields(HandlerMaker& maker);
/// Fills `differs` for the fields of TERecipeKwargs.
void findTeDifferences(AccelerateRun& run, bool overrideIsList);
/// prepare() for TE: fills passedToTe, recipe, autocast, or stops. Null fields: no recipe object, TE's defaults.
void handToTe(AccelerateRun& run, const Target& target);

}  // namespace octet::recipe
