// SPDX-License-Identifier: Apache-2.0
#include "engine/train/environment.h"

#include <fmt/format.h>

#include <fstream>

#include "engine/core/text.h"
#include "engine/core/version.h"
#include "engine/numerics/quantise.h"
#include "engine/train/batch_order.h"
#include "engine/train/experiment.h"

namespace octet::train {
namespace {

std::string processorName() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        if (line.starts_with("model name")) return trimmed(line.substr(line.find(':') + 1));
    }
    return "unknown";
}

std::string hexOf(uint64_t hash) {
    return fmt::format("{:016x}", hash);
}

}  // namespace

Json environmentOf(const PreparedExperiment& experiment, const PreparedRun& run) {
    const recipe::RunSpec& spec = experiment.spec;
    const Corpus& corpus = *experiment.corpus;
    const BatchOrder order{static_cast<uint64_t>(run.seed), static_cast<int64_t>(corpus.training.size()),
                           experiment.model.bytesPerSequence(), spec.batch, spec.microBatches};
    const int64_t perUpdate = spec.batch * experiment.model.tokensPerSequence();
    Json environment{{"model", arch::modelSpecText(experiment.model)},
                     {"data", spec.data},
                     {"data_description", corpus.description},
                     {"data_hash", hexOf(corpus.hash)},
                     {"order_hash", hexOf(order.hash())},
                     {"seed", run.seed},
                     {"batch", spec.batch},
                     {"micro_batches", spec.microBatches},
                     {"tokens_per_update", perUpdate},
                     {"tokens_per_step", perUpdate * spec.microBatches},
                     {"activation_dtype", spec.activationDtype == recipe::ActivationDtype::Bf16 ? "bf16" : "fp32"},
                     {"threads", deviceThreads()},
                     {"device", "cpu"},
                     {"cpu", processorName()},
                     {"simd", numerics::simdTargetName()},
                     {"arithmetic", "FP8 emulated: fp32 accumulation, fast accumulation not modelled"},
                     {"versions", {{"octet", version()}, {"torch", torchVersion()}}},
                     {"unigram_entropy", corpus.unigramEntropy}};
    if (corpus.entropyFloor) environment["entropy_floor"] = *corpus.entropyFloor;
    return environment;
}

Json planToJson(const recipe::TrainingPlan& plan) {
    Json json{{"fp8", plan.fp8}, {"notes", plan.notes}, {"fp8_during_eval", plan.fp8DuringEval}};
    if (!plan.scaling) return json;
    const recipe::ScalingPlan& scaling = *plan.scaling;
    json["scaling"] = {{"rule", "delayed"},
                       {"forward", numerics::formatName(scaling.forward)},
                       {"backward", numerics::formatName(scaling.backward)},
                       {"margin", scaling.margin},
                       {"amax_history_len", scaling.historyLen},
                       {"amax_compute_algo", scaling.algo == recipe::AmaxAlgo::Max ? "max" : "most_recent"},
                       {"interval", scaling.interval}};
    return json;
}

Json gemmsThatRun(const recipe::LayerPlan& layer, recipe::ActivationDtype dtype) {
    const char* high = dtype == recipe::ActivationDtype::Bf16 ? "BF16" : "FP32";
    Json gemms;
    for (size_t i = 0; i < recipe::kGemmNames.size(); ++i) {
        const std::string text = recipe::gemmText(layer.gemms[i]);
        gemms[recipe::kGemmNames[i]] = text.empty() ? high : text;
    }
    return gemms;
}

}  // namespace octet::train
