// SPDX-License-Identifier: Apache-2.0
// The recipe classes beside TERecipeKwargs, and Accelerator() with prepare(): which backend, which recipe, what
// happens.
#include <array>

#include "engine/arch/ao_conversion.h"
#include "engine/recipe/accelerate_steps.h"
#include "engine/recipe/ao_config.h"
#include "engine/recipe/library_versions.h"
#include "engine/recipe/schema.h"

namespace octet::recipe {
namespace {

using Class = HandlerCall::Class;

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

/// AORecipeKwargs; with an explicit config its two booleans stay unset.
void makeAo(HandlerMaker& maker, const HandlerCall& call, AccelerateRun& run, const Target& target) {
    static constexpr std::array kKnown{"pad_inner_dim", "enable_fsdp_float8_all_gather", "module_filter_func"};
    maker.refuseUnknown(kKnown);
    AoRecipe recipe;
    if (call.config) {
        recipe.config = AoConfig::Custom;
        recipe.float8 = *call.config;
    } else {
        const bool on = holds(VersionFact::AccelerateAoFlagsOn, target);
        maker.truth("pad_inner_dim", on);
        maker.truth("enable_fsdp_float8_all_gather", on);
        if (maker.stopped()) return;
        recipe.padInnerDim = isTruthy(maker.fields()["pad_inner_dim"]);
        recipe.enableFsdpFloat8AllGather = isTruthy(maker.fields()["enable_fsdp_float8_all_gather"]);
    }
    if (const auto refusal = aoRefusal(recipe)) {
        const bool gather = refusal->message.find("all_gather") != std::string::npos;
        const Trap trap = gather ? Trap::AllGatherNeedsTensorwise : Trap::AoConfigRefused;
        return maker.stop("AssertionError", trap, refusal->message, nullptr);
    }
    run.aoConfig = float8ConfigOf(recipe);
}

void makeMsamp(HandlerMaker& maker) {
    Json level = maker.argument("opt_level");
    if (level.is_null()) level = maker.variable("opt_level").value_or("O2");
    if (level != "O1" && level != "O2") return maker.stop("ValueError", Trap::UnknownOptLevel, "opt_level", level);
    maker.fields()["opt_level"] = level;
}

/// FP8RecipeKwargs: only the initialiser of TERecipeKwargs runs, so opt_level stays as given.
void makeLegacy(HandlerMaker& maker, const HandlerCall& call) {
    Json backend = maker.argument("backend");
    if (backend.is_null()) backend = maker.variable("backend").value_or("TE");
    backend = upper(pythonText(backend));
    if (backend != "TE" && backend != "MSAMP") return maker.stop("ValueError", Trap::LegacyBackend, "backend", backend);
    HandlerCall te = call;
    te.arguments.erase("backend");
    te.arguments.erase("opt_level");
    const Json level = maker.argument("opt_level");
    const Environment none;
    maker.fields()["opt_level"] = level;
    makeTeFields(maker);
    maker.fields()["backend"] = backend;
}

struct MadeHandler {
    Class type;
    Json fields;
    std::vector<std::string> differs;
    std::optional<AoFloat8> aoConfig;
};

/// Makes one recipe object; a stop goes into `run`.
std::optional<MadeHandler> make(const HandlerCall& call, const char* stage, const Environment& environment,
                                const Target& target, AccelerateRun& run) {
    HandlerMaker maker(call, environment, stage);
    AccelerateRun made;
    if (call.type == Class::Te) makeTeFields(maker);
    if (call.type == Class::Ao) makeAo(maker, call, made, target);
    if (call.type == Class::Msamp) makeMsamp(maker);
    if (call.type == Class::Legacy) makeLegacy(maker, call);
    run.stop = maker.takeStop();
    if (run.stop) return std::nullopt;
    made.fields = maker.fields();
    if (call.type == Class::Te || call.type == Class::Legacy) findTeDifferences(made, call.overrideIsList);
    return MadeHandler{call.type, made.fields, made.differs, made.aoConfig};
}

/// With several: FP8RecipeKwargs before AO before TE before MS-AMP.
const MadeHandler* strongest(const std::vector<MadeHandler>& made) {
    for (const Class type : {Class::Legacy, Class::Ao, Class::Te, Class::Msamp}) {
        const auto found = std::ranges::find(made, type, &MadeHandler::type);
        if (found != made.end()) return &*found;
    }
    return nullptr;
}

std::string backendOf(const MadeHandler& handler) {
    if (handler.type == Class::Legacy) return handler.fields["backend"];
    return handler.type == Class::Ao ? "AO" : handler.type == Class::Te ? "TE" : "MSAMP";
}

std::optional<Class> classFor(const std::string& backend) {
    if (backend == "AO" || backend == "NO") return Class::Ao;  // NO: the first that is installed, torchao before TE
    if (backend == "TE") return Class::Te;
    if (backend == "MSAMP") return Class::Msamp;
    return std::nullopt;
}

void prepareTe(const MadeHandler* handler, AccelerateRun& run, const Target& target) {
    const bool fromOldClass = handler && handler->type == Class::Legacy;
    // DeepSpeed looks at FP8RecipeKwargs only; any other recipe object is passed over for TE's defaults.
    const bool passedOver = target.parallel == "deepspeed" && !fromOldClass;
    AccelerateRun seen = run;
    if (passedOver) seen.fields = nullptr;
    handToTe(seen, target);
    seen.fields = run.fields;
    run = seen;
    run.converted = !run.stop;
    // FSDP2's own preparation swaps the layers and never enters FP8 autocast.
    if (target.parallel == "fsdp2") run.autocastTrain = run.autocastEval = false;
}

void prepare(const MadeHandler* handler, AccelerateRun& run, const Target& target) {
    if (target.parallel == "megatron") return;
    if (run.backend == "TE") prepareTe(handler, run, target);
    if (run.backend == "AO") {
        if (!handler) {
            run.stop = {"prepare", "AttributeError", Trap::NoRecipeObject, "ACCELERATE_FP8_BACKEND", "AO"};
            return;
        }
        run.converted = true;
    }
    if (run.backend == "MSAMP") run.stop = {"prepare", "ImportError", Trap::MsampMissing, "", ""};
}

}  // namespace

std::string variableName(const std::string& key) {
    return kFp8Prefix + upper(key.starts_with("fp8_") ? key.substr(4) : key);
}

Json HandlerMaker::argument(const std::string& key) const {
    return m_call.arguments.contains(key) ? m_call.arguments[key] : Json();
}

std::optional<std::string> HandlerMaker::variable(const std::string& key) const {
    const auto found = m_environment.find(variableName(key));
    return found == m_environment.end() ? std::nullopt : std::optional(found->second);
}

bool HandlerMaker::truthVariable(const std::string& key, bool fallback) {
    const auto text = variable(key);
    if (!text) return fallback;
    const auto value = truthOf(*text);
    if (!value) stop("ValueError", Trap::NotATruthValue, variableName(key), *text);
    return value.value_or(fallback);
}

void HandlerMaker::refuseUnknown(std::span<const char* const> known) {
    const bool legacy = m_call.type == HandlerCall::Class::Legacy;
    for (const auto& [key, value] : m_call.arguments.items()) {
        if (legacy && (key == "backend" || key == "opt_level")) continue;
        const bool isKnown = std::ranges::any_of(known, [&](const char* word) { return key == word; });
        if (!isKnown) stop("TypeError", Trap::UnknownArgument, key, value);
    }
}

void HandlerMaker::truth(const char* key, bool fallback) {
    Json value = argument(key);
    if (value.is_null()) value = truthVariable(key, fallback);
    m_fields[key] = value;
}

void HandlerMaker::integer(const char* key, int64_t fallback) {
    Json value = argument(key);
    const auto text = variable(key);
    if (value.is_null() && text) {
        const auto number = pythonInt(*text);
        if (!number) return stop("ValueError", Trap::NotAnInteger, variableName(key), *text);
        value = *number;
    }
    m_fields[key] = value.is_null() ? Json(fallback) : value;
}

void HandlerMaker::stop(const char* exception, Trap trap, const std::string& where, const Json& found) {
    if (!m_stop) m_stop = {m_stage, exception, trap, where, pythonLiteral(found)};
}

AccelerateRun runAccelerator(const std::vector<HandlerCall>& handlers, const std::string& precision,
                             const Environment& environment, const Target& target) {
    AccelerateRun run;
    const auto variable = [&](const char* name, const char* fallback) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::string(fallback) : found->second;
    };
    for (const auto& [name, value] : environment) {
        if (name.starts_with(kFp8Prefix)) run.environment[name] = value;
    }
    std::vector<MadeHandler> made;
    for (const HandlerCall& call : handlers) {
        auto handler = make(call, "construction", environment, target, run);
        if (!handler) return run;
        made.push_back(std::move(*handler));
    }
    for (size_t i = 0; i < made.size(); ++i) {
        for (size_t k = 0; k < i; ++k) {
            if (made[i].type == made[k].type)
                run.stop = {"Accelerator()", "ValueError", Trap::SameRecipeTwice, "kwargs_handlers", ""};
        }
    }
    if (run.stop) return run;
    const std::string asked = precision.empty() ? variable("ACCELERATE_MIXED_PRECISION", "no") : precision;
    const bool fp8 = asked == "fp8";
    const MadeHandler* handler = strongest(made);
    const bool convertsAnyway = target.parallel.starts_with("fsdp") || target.parallel == "deepspeed";
    if (handler && !fp8 && !convertsAnyway) {
        run.stop = {"Accelerator()", "ValueError", Trap::RecipeWithoutFp8, "mixed_precision", asked};
        return run;
    }
    std::string backend = handler ? backendOf(*handler) : variable("ACCELERATE_FP8_BACKEND", "NO");
    const auto type = classFor(backend);
    if (!type) {
        run.stop = {"Accelerator()", "ValueError", Trap::UnknownBackend, "backend", backend};
        return run;
    }
    if (fp8 && !handler) {
        auto built = make({*type, Json::object(), std::nullopt, false}, "Accelerator()", environment, target, run);
        if (!built) return run;
        made.push_back(std::move(*built));
        handler = &made.back();
        backend = backendOf(*handler);
    }
    run.backend = backend;
    run.fp8Enabled = fp8;
    if (handler) {
        if (handler->type != Class::Ao) run.fields = handler->fields;
        run.differs = handler->differs;
        run.aoConfig = handler->aoConfig;
    }
    prepare(handler, run, target);
    return run;
}

std::vector<std::string> weightsOutsideOptimizer(const AccelerateRun& run, const std::vector<arch::Module>& modules,
                                                 const Target& target) {
    std::vector<std::string> names;
    if (run.stop || !run.aoConfig || !run.aoConfig->enableFsdpFloat8AllGather || target.parallel == "fsdp2")
        return names;
    const auto decisions = arch::convertForAo(modules);
    for (size_t i = 0; i < modules.size(); ++i) {
        if (decisions[i].converted) names.push_back(modules[i].name + ".weight");
    }
    return names;
}

HandlerCall handlerOf(const Recipe& recipe) {
    HandlerCall call;
    if (recipe.backend == Backend::Ao) {
        call.type = Class::Ao;
        if (recipe.ao.config == AoConfig::None) {
            call.arguments = {{"pad_inner_dim", recipe.ao.padInnerDim},
                              {"enable_fsdp_float8_all_gather", recipe.ao.enableFsdpFloat8AllGather}};
        } else {
            call.config = float8ConfigOf(recipe.ao);
        }
        return call;
    }
    constexpr std::string_view prefix = "te.";
    for (const RecipeField& field : recipeFields()) {
        const std::string_view key = field.key;
        if (key.starts_with(prefix))
            call.arguments[std::string(key.substr(prefix.size()))] = fieldToJson(field, field.get(recipe));
    }
    return call;
}

}  // namespace octet::recipe
