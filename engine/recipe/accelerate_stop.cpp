// SPDX-License-Identifier: Apache-2.0
// Why Accelerate stops: in a few words for comparing with recorded runs, and as a sentence for people.
#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "engine/recipe/accelerate_run.h"

namespace octet::recipe {
namespace {

using enum Trap;

/// {where}: argument, key, variable or flag; {found}: its value; {te}, {acc}, {gpu}: the target.
struct TrapWords {
    Trap trap;
    const char* text;
    const char* message;
    const char* hint;
};

constexpr std::array kWords{
    TrapWords{FlagChoice, "command line: value not among the choices",
              "accelerate launch refuses {where} {found}: it is not one of its choices.",
              "Set the value in fp8_config of the config file; there only backend and opt_level mind letter case."},
    TrapWords{FlagUnreadable, "command line: value cannot be read", "accelerate launch cannot read {where} {found}.",
              "Write whole numbers without a point, and true,false,true without brackets or blanks."},
    TrapWords{FlagUnknown, "command line: unknown option", "accelerate launch has no option {where}.",
              "Set the key in fp8_config of the config file."},
    TrapWords{PureE5M2, "TE refuses E5M2 for both directions",
              "Transformer Engine refuses fp8_format E5M2: it does not train with E5M2 in both directions.",
              "Use HYBRID or E4M3, or set semantics to documented to see in Octet what E5M2 would do."},
    TrapWords{AlgoWithMxfp8, "amax algorithm given together with MXFP8",
              "Accelerate refuses amax_compute_algo {found} together with use_mxfp8_block_scaling.",
              "Leave amax_compute_algo at most_recent: block scaling has no amax history."},
    TrapWords{HistoryWithMxfp8, "history length given together with MXFP8",
              "Accelerate refuses amax_history_len {found} together with use_mxfp8_block_scaling.",
              "Leave amax_history_len at 1024: block scaling has no amax history."},
    TrapWords{GpuWithoutMxfp8, "GPU cannot run MXFP8",
              "Accelerate refuses use_mxfp8_block_scaling on compute capability {gpu}: MXFP8 needs 10.0 up to below "
              "12.0.",
              "Set use_mxfp8_block_scaling to false, or aim target.compute_capability at 10.0."},
    TrapWords{UnknownFormat, "unknown FP8 format name", "Accelerate refuses fp8_format {found}.",
              "Write HYBRID or E4M3, in any letter case."},
    TrapWords{UnknownAlgo, "unknown amax algorithm name", "Accelerate refuses amax_compute_algo {found}.",
              "Write max or most_recent."},
    TrapWords{UnknownOptLevel, "unknown MS-AMP level", "Accelerate refuses opt_level {found}.",
              "Write O1 or O2, with a capital O."},
    TrapWords{LegacyBackend, "backend is neither MSAMP nor TE", "FP8RecipeKwargs refuses backend {found}.",
              "Use AORecipeKwargs for torchao, TERecipeKwargs for Transformer Engine."},
    TrapWords{UnknownBackend, "backend name not recognised (case matters)",
              "Accelerate does not know the FP8 backend {found}.",
              "Write TE, AO or MSAMP in capital letters; --fp8_backend takes only lower case, so use the file."},
    TrapWords{NotATruthValue, "text is not a truth value",
              "Accelerate reads {where} as true or false and stops: invalid truth value ({found}).",
              "Write true or false."},
    TrapWords{NotAnInteger, "text is not an integer", "Accelerate reads {where} with int() and stops on {found}.",
              "Write a whole number without point or exponent."},
    TrapWords{SingleOverride, "a single value was given where three are needed",
              "Accelerate takes three values out of override_linear_precision and finds the single value {found}.",
              "Write a list of three: [false, false, false] for fprop, dgrad, wgrad."},
    TrapWords{ShortOverride, "fewer than three values were given",
              "Accelerate takes three values out of override_linear_precision and finds {found}.",
              "Write a list of three: [false, false, false] for fprop, dgrad, wgrad."},
    TrapWords{UnknownTopKey, "unknown key at the top level of the file",
              "Accelerate refuses the file: it does not know the top-level key {where}.",
              "Move it into its section, or remove it."},
    TrapWords{NoDistributedType, "distributed_type is missing",
              "Accelerate refuses the file: distributed_type is missing.",
              "Add distributed_type: \"NO\" (with quotes) for one process."},
    TrapWords{NoNumProcesses, "num_processes is missing",
              "Accelerate asks for --num_processes: the file has none and distributed_type is not \"NO\".",
              "Add num_processes: 1."},
    TrapWords{PrecisionIsBoolean, "mixed_precision is a boolean",
              "mixed_precision is the boolean {found}, and accelerate launch stops on it.",
              "Write the text fp8, bf16, fp16 or \"no\" with quotes."},
    TrapWords{TeTooOld, "this TE version lacks the MXFP8 check that Accelerate imports",
              "Accelerate {acc} cannot use Transformer Engine {te}: it imports a check that exists since 2.0.",
              "Aim target.transformer_engine at 2.0 or newer."},
    TrapWords{UnknownArgument, "unknown argument name", "The recipe class has no argument {where}.",
              "Remove it; Accelerate passes nothing on that it does not know."},
    TrapWords{RecipeWithoutFp8, "recipe given without mixed_precision=fp8",
              "A recipe object is given while mixed_precision is {found}.",
              "Set mixed_precision to fp8; a Trainer argument bf16=True switches it back."},
    TrapWords{SameRecipeTwice, "the same recipe class was given twice",
              "The same recipe class stands twice in kwargs_handlers.", "Keep one."},
    TrapWords{AllGatherNeedsTensorwise, "float8 all-gather needs tensorwise weights",
              "torchao refuses enable_fsdp_float8_all_gather with rowwise weights.",
              "Set enable_fsdp_float8_all_gather to false."},
    TrapWords{AoConfigRefused, "torchao refuses the config", "{where}",
              "Correct ao.float8, or choose a recipe by name."},
    TrapWords{TeTypeCheck, "TE's type validation rejected the value",
              "Transformer Engine refuses {where} {found}: it is not a whole number.", "Write a whole number."},
    TrapWords{NotText, "a non-string was given where text is expected",
              "Accelerate expects text for {where}, found {found}.", "Write it in quotes."},
    TrapWords{MsampMissing, "MS-AMP is not installed",
              "MS-AMP is not installed; it is unmaintained since 2023 and deprecated in Accelerate.",
              "Use backend TE or AO."},
    TrapWords{NoRecipeObject, "no recipe object exists for the selected backend",
              "{where} is {found} while mixed_precision is not fp8: prepare() stops, no recipe object exists.",
              "Unset the variable, or set mixed_precision to fp8."},
    TrapWords{RamEfficientLoading, "AO with FSDP and cpu_ram_efficient_loading",
              "Accelerate refuses backend AO under FSDP with fsdp_cpu_ram_efficient_loading, which is on unless the "
              "file says otherwise.",
              "Write fsdp_cpu_ram_efficient_loading: false."},
    TrapWords{LibraryMissing, "the library is too old", "Accelerate {acc} does not know {where}.",
              "Aim at a newer Accelerate."},
};

const TrapWords& wordsOf(Trap trap) {
    const auto* found = std::ranges::find(kWords, trap, &TrapWords::trap);
    assert(found != kWords.end());
    return *found;
}

/// Python's quotes around a bare word say nothing to people.
std::string withoutQuotes(const std::string& literal) {
    const bool quoted = literal.size() > 2 && literal.front() == '"' && literal.back() == '"';
    return quoted ? literal.substr(1, literal.size() - 2) : literal;
}

}  // namespace

const char* trapText(Trap trap) {
    return wordsOf(trap).text;
}

Error stopError(const AccelerateStop& stop, const Target& target) {
    const TrapWords& words = wordsOf(stop.trap);
    const std::string message =
        fmt::format(fmt::runtime(words.message), fmt::arg("where", stop.where),
                    fmt::arg("found", withoutQuotes(stop.found)), fmt::arg("te", target.transformerEngine),
                    fmt::arg("acc", target.accelerate), fmt::arg("gpu", target.computeCapability));
    return {ErrorCode::Refused, message, words.hint};
}

}  // namespace octet::recipe
