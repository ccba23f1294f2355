// SPDX-License-Identifier: Apache-2.0
// TERecipeKwargs: construction, what it forwards, and the recipe that Transformer Engine builds.
#include <algorithm>
#include <array>

#include "engine/recipe/accelerate_python.h"
#include "engine/recipe/accelerate_steps.h"
#include "engine/recipe/library_versions.h"

namespace octet::recipe {
namespace {

constexpr std::array kFormats{"HYBRID", "E4M3", "E5M2"};
constexpr std::array kAlgos{"max", "most_recent"};
const Json kNoOverride = Json::array({false, false, false});

std::string changedCase(std::string text, int (*change)(int)) {
    std::ranges::transform(text, text.begin(), [change](unsigned char c) { return static_cast<char>(change(c)); });
    return text;
}

template <size_t N>
bool isOneOf(const std::array<const char*, N>& words, const Json& value) {
    return std::ranges::any_of(words, [&](const char* word) { return value == word; });
}

/// Name, format and algorithm: normalised, then checked.
void makeText(HandlerMaker& maker, const char* key, const char* fallback, int (*change)(int), Trap trap) {
    Json value = maker.argument(key);
    if (value.is_null()) value = maker.variable(key).value_or(fallback);
    if (maker.stopped()) return;
    if (!value.is_string()) return maker.stop("AttributeError", Trap::NotText, key, value);
    value = changedCase(value.get<std::string>(), change);
    const bool known = trap == Trap::UnknownFormat ? isOneOf(kFormats, value) : isOneOf(kAlgos, value);
    if (!known) return maker.stop("ValueError", trap, key, value);
    maker.fields()[key] = value;
}

/// pydantic's lenient int: true is 1, 16.0 is 16, "2" is 2.
std::optional<int64_t> pydanticInt(const Json& value) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (value.is_number_integer()) return value.get<int64_t>();
    if (value.is_number()) {
        const double number = value.get<double>();
        const auto whole = static_cast<int64_t>(number);
        return static_cast<double>(whole) == number ? std::optional(whole) : std::nullopt;
    }
    return value.is_string() ? pythonInt(value.get<std::string>()) : std::nullopt;
}

class TeRecipeMaker {
public:
    TeRecipeMaker(AccelerateRun& run, const Target& target) : m_run(run), m_target(target) {}

    void makeDelayed() {
        start("DelayedScaling");
        integer("margin", 0);
        if (holds(VersionFact::TeInterval, m_target)) {
            integer("interval", -1);
            m_run.warnsOfInterval = recipe()["interval"].is_number() && recipe()["interval"].get<int64_t>() >= 0;
        }
        format("HYBRID");
        integer("amax_history_len", 1024);
        recipe()["amax_compute_algo"] = m_run.passedToTe.value("amax_compute_algo", "max");
        recipe()["reduce_amax"] = true;
        finish();
    }

    void makeMxfp8() {
        start("MXFP8BlockScaling");
        integer("margin", 0);
        format("E4M3");
        finish();
        if (!m_run.stop && holds(VersionFact::TeMxfp8With2d, m_target)) recipe()["enable_2d_quantization"] = false;
    }

private:
    Json& recipe() { return m_run.recipe; }
    void start(const char* name) { m_run.recipe = {{"class", name}}; }

    void integer(const char* key, int64_t fallback) {
        const Json& passed = m_run.passedToTe;
        const auto value = passed.contains(key) ? pydanticInt(passed[key]) : std::optional(fallback);
        if (value)
            recipe()[key] = *value;
        else if (!m_typeError)
            m_typeError = {"prepare", "ValidationError", Trap::TeTypeCheck, key, pythonLiteral(passed[key])};
    }

    void format(const char* fallback) { recipe()["fp8_format"] = m_run.passedToTe.value("fp8_format", fallback); }

    /// Types first, then TE's own assertion.
    void finish() {
        recipe()["fp8_dpa"] = false;
        recipe()["fp8_mha"] = false;
        if (m_typeError) m_run.stop = m_typeError;
        if (!m_run.stop && recipe()["fp8_format"] == "E5M2")
            m_run.stop = {"prepare", "ValidationError", Trap::PureE5M2, "fp8_format", "E5M2"};
        if (m_run.stop) m_run.recipe = nullptr;
    }

    AccelerateRun& m_run;
    const Target& m_target;
    std::optional<AccelerateStop> m_typeError;
};

/// Keyword arguments for TE: what differs from the defaults, without what Accelerate keeps for itself.
Json forwarded(const AccelerateRun& run) {
    Json kwargs = Json::object();
    for (const auto& [key, value] : run.fields.items()) {
        const bool differs = std::ranges::find(run.differs, key) != run.differs.end();
        const bool own = key == "use_autocast_during_eval" || key == "use_mxfp8_block_scaling" || key == "backend" ||
                         key == "opt_level";
        if (differs && !own) kwargs[key] = value;
    }
    return kwargs;
}

bool isBlackwell(const Target& target) {
    return !isBefore(target.computeCapability, "10.0") && isBefore(target.computeCapability, "12.0");
}

}  // namespace

Json teDefaults() {
    return {{"use_autocast_during_eval", false},
            {"margin", 0},
            {"interval", 1},
            {"fp8_format", "HYBRID"},
            {"amax_history_len", 1024},
            {"amax_compute_algo", "most_recent"},
            {"override_linear_precision", kNoOverride},
            {"use_mxfp8_block_scaling", false}};
}

/// In the order in which the class reads its fields, which decides the error that comes first.
void makeTeFields(HandlerMaker& maker) {
    static constexpr std::array kKnown{"use_autocast_during_eval",
                                       "margin",
                                       "interval",
                                       "fp8_format",
                                       "amax_history_len",
                                       "amax_compute_algo",
                                       "override_linear_precision",
                                       "use_mxfp8_block_scaling"};
    maker.refuseUnknown(kKnown);
    for (const char* key : kKnown)
        maker.fields()[key] = nullptr;
    maker.truth("use_autocast_during_eval", false);
    maker.integer("margin", 0);
    maker.integer("interval", 1);
    makeText(maker, "fp8_format", "HYBRID", std::toupper, Trap::UnknownFormat);
    makeText(maker, "amax_compute_algo", "most_recent", std::tolower, Trap::UnknownAlgo);
    maker.integer("amax_history_len", 1024);
    Json override = maker.argument("override_linear_precision");
    if (override.is_null()) {
        override = Json::array();
        for (const char* gemm : {"override_fprop", "override_dgrad", "override_wgrad"})
            override.push_back(maker.truthVariable(gemm, false));
    }
    maker.fields()["override_linear_precision"] = override;
    maker.truth("use_mxfp8_block_scaling", false);
}

void findTeDifferences(AccelerateRun& run, bool overrideIsList) {
    const Json defaults = teDefaults();
    run.differs.clear();
    for (const auto& [key, value] : run.fields.items()) {
        if (!defaults.contains(key)) continue;
        // A list never equals the tuple that is the default.
        const bool isList = key == "override_linear_precision" && overrideIsList;
        if (isList || value != defaults[key]) run.differs.push_back(key);
    }
    std::ranges::sort(run.differs);
}

void handToTe(AccelerateRun& run, const Target& target) {
    const auto stop = [&](const char* exception, Trap trap, const char* where, const Json& found) {
        run.stop = {"prepare", exception, trap, where, pythonLiteral(found)};
    };
    if (holds(VersionFact::AccelerateNeedsTe2, target) && !holds(VersionFact::TeMxfp8, target))
        return stop("ImportError", Trap::TeTooOld, "", nullptr);
    const Json fields = run.fields.is_null() ? teDefaults() : run.fields;
    const Json kwargs = run.fields.is_null() ? Json::object() : forwarded(run);
    const bool mxfp8 = isTruthy(fields["use_mxfp8_block_scaling"]);
    if (mxfp8) {
        if (!isBlackwell(target)) return stop("ValueError", Trap::GpuWithoutMxfp8, "use_mxfp8_block_scaling", true);
        if (kwargs.contains("amax_compute_algo"))
            return stop("ValueError", Trap::AlgoWithMxfp8, "amax_compute_algo", kwargs["amax_compute_algo"]);
        if (kwargs.contains("amax_history_len"))
            return stop("ValueError", Trap::HistoryWithMxfp8, "amax_history_len", kwargs["amax_history_len"]);
    }
    run.passedToTe = kwargs;
    TeRecipeMaker maker(run, target);
    mxfp8 ? maker.makeMxfp8() : maker.makeDelayed();
    if (run.stop) return;
    run.autocastTrain = true;
    run.autocastEval = isTruthy(fields["use_autocast_during_eval"]);
}

AccelerateRun runTeArguments(const HandlerCall& call, const Environment& environment, const Target& target) {
    AccelerateRun run;
    HandlerMaker maker(call, environment, "construction");
    makeTeFields(maker);
    run.stop = maker.takeStop();
    if (run.stop) return run;
    run.fields = maker.fields();
    findTeDifferences(run, call.overrideIsList);
    handToTe(run, target);
    return run;
}

}  // namespace octet::recipe
