// SPDX-License-Identifier: Apache-2.0
// What Accelerate makes of a recipe, whichever door it comes in by: arguments of a recipe class, ACCELERATE_FP8_*
// variables, a config file, launch flags, or recipe objects given to Accelerator. Follows accelerate 1.15.0 with
// Transformer Engine 2.20.2 and torchao 0.18.0 step by step, errors included; tests compare every row of a recorded run
// of those libraries. Older versions by library_versions.h.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/arch/module_list.h"
#include "engine/core/json.h"
#include "engine/core/marked_value.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {

using Environment = std::map<std::string, std::string>;

/// Why Accelerate, Transformer Engine or torchao stops.
enum class Trap {
    FlagChoice,
    FlagUnreadable,
    FlagUnknown,
    PureE5M2,
    AlgoWithMxfp8,
    HistoryWithMxfp8,
    GpuWithoutMxfp8,
    UnknownFormat,
    UnknownAlgo,
    UnknownOptLevel,
    LegacyBackend,
    UnknownBackend,
    NotATruthValue,
    NotAnInteger,
    SingleOverride,
    ShortOverride,
    UnknownTopKey,
    NoDistributedType,
    NoNumProcesses,
    PrecisionIsBoolean,
    TeTooOld,
    UnknownArgument,
    RecipeWithoutFp8,
    SameRecipeTwice,
    AllGatherNeedsTensorwise,
    AoConfigRefused,
    TeTypeCheck,
    NotText,
    MsampMissing,
    NoRecipeObject,
    RamEfficientLoading,
    LibraryMissing,
};

struct AccelerateStop {
    const char* stage;      // "command line", "launch", "construction", "Accelerator()" or "prepare"
    const char* exception;  // Python's name for it
    Trap trap;
    std::string where;  // the argument, key, variable or flag; may be empty
    std::string found;  // its value as Python shows it
};

/// The trap in a few words, as the recorded runs name it.
[[nodiscard]] const char* trapText(Trap trap);

/// A sentence on what was expected and found, and what to do.
[[nodiscard]] Error stopError(const AccelerateStop& stop, const Target& target);

/// What a run of Accelerate came to, as far as it came.
struct AccelerateRun {
    Environment environment;           // ACCELERATE_FP8_* variables of the training process
    std::string backend;               // "TE", "AO", "MSAMP", "NO"; empty when it stopped before
    bool fp8Enabled = false;           // mixed_precision is fp8
    Json fields;                       // the recipe object after construction; null without one
    std::vector<std::string> differs;  // fields that differ from Accelerate's defaults, sorted
    Json passedToTe;                   // keyword arguments of TE's recipe class; null when none is made
    Json recipe;                       // TE's recipe: its class and fields; null without one
    bool autocastTrain = false;        // FP8 is on while training
    bool autocastEval = false;
    std::optional<AoFloat8> aoConfig;
    bool converted = false;        // layers are swapped
    bool warnsOfInterval = false;  // TE 1.8 to 2.1
    std::optional<AccelerateStop> stop;
};

/// One recipe object as a script makes it.
struct HandlerCall {
    enum class Class { Te, Ao, Msamp, Legacy } type = Class::Te;
    Json arguments = Json::object();   // keyword arguments but config
    std::optional<AoFloat8> config{};  // AORecipeKwargs(config=...)
    bool overrideIsList = false;       // override_linear_precision as a list, which differs from the tuple default
};

/// TERecipeKwargs(**arguments) and what prepare() makes of it.
[[nodiscard]] AccelerateRun runTeArguments(const HandlerCall& call, const Environment& environment,
                                           const Target& target);

/// Accelerator(kwargs_handlers=..., mixed_precision=...) and prepare(). Empty precision: ACCELERATE_MIXED_PRECISION.
[[nodiscard]] AccelerateRun runAccelerator(const std::vector<HandlerCall>& handlers, const std::string& precision,
                                           const Environment& environment, const Target& target);

/// accelerate launch: a config file (may be null), typed flags, exported variables.
[[nodiscard]] AccelerateRun runLaunch(const MarkedValue* file, const std::vector<std::string>& flags,
                                      const Environment& exported, const Target& target);

/// Top-level keys of a config file; a SageMaker file has its own.
[[nodiscard]] std::span<const char* const> configFileKeys(bool sagemaker);

/// The way of running that a config file chooses: none, ddp, fsdp1, fsdp2, deepspeed or megatron.
[[nodiscard]] std::string parallelOf(const MarkedValue& file);

/// Weights that the optimizer does not hold after prepare(): float8 all-gather wraps them anew, and only FSDP2 tells
/// the optimizer.
[[nodiscard]] std::vector<std::string> weightsOutsideOptimizer(const AccelerateRun& run,
                                                               const std::vector<arch::Module>& modules,
                                                               const Target& target);

/// The recipe object that stands for an Octet recipe of backend TE or AO.
[[nodiscard]] HandlerCall handlerOf(const Recipe& recipe);

}  // namespace octet::recipe
