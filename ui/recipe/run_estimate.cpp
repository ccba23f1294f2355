// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/run_estimate.h"

#include <QCoreApplication>
#include <QThread>
#include <cmath>

#include "engine/arch/model_spec.h"
#include "engine/arch/module_list.h"

namespace octet::ui {
namespace {

constexpr double kAssumedGflopsPerCore = 70;
constexpr double kBytesPerWeight = 20;     // fp32 weight, gradient, two moments, and the bf16 or FP8 copy
constexpr double kProgramBytes = 300e6;    // the worker with LibTorch before a model is built
constexpr double kFloat = 4;               // activations are held in fp32 on the CPU
constexpr double kForwardAndBackward = 3;  // backward multiplies twice what forward does

QString tr(const char* text) {
    return QCoreApplication::translate("RunEstimate", text);
}

double linearWeights(const std::vector<arch::Module>& modules) {
    double weights = 0;
    for (const arch::Module& linear : arch::linearsOf(modules))
        weights += static_cast<double>(linear.outFeatures()) * static_cast<double>(linear.inFeatures());
    return weights;
}

/// Multiplications and additions of the forward pass for one token: the Linears, and attention over the context.
double forwardFlopsPerToken(const arch::ModelSpec& model, double weights) {
    const bool attends = model.isTransformer();
    const double attention = attends ? 4.0 * static_cast<double>(model.ctx * model.d * model.layers) : 0;
    return 2 * weights + attention;
}

/// Values that one token keeps for the backward pass.
double valuesPerToken(const arch::ModelSpec& model) {
    const auto d = static_cast<double>(model.d), layers = static_cast<double>(model.layers);
    const auto vocab = static_cast<double>(model.vocab);
    if (model.kind == arch::ModelKind::Mlp)
        return static_cast<double>(model.window) * d + layers * 3 * static_cast<double>(model.hidden) + 3 * vocab;
    const double attention = 2.0 * static_cast<double>(model.heads * model.ctx);
    return layers * (12 * d + 4 * static_cast<double>(model.feedForward()) + attention) + 3 * vocab;
}

QString shortNumber(double value, const char* unit) {
    static constexpr std::pair<double, const char*> sizes[] = {
        {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    for (const auto& [size, letter] : sizes) {
        if (value < size && size > 1) continue;
        const QString number = QString::number(value / size, 'g', value / size >= 100 ? 3 : 2);
        return QStringLiteral("%1\u202f%2%3").arg(number, QString::fromUtf8(letter), QString::fromUtf8(unit));
    }
    return {};
}

QString durationText(double seconds) {
    if (seconds < 90) return tr("%1 s").arg(std::max(1.0, std::round(seconds)));
    if (seconds < 5'400) return tr("%1 min").arg(std::round(seconds / 60));
    if (seconds < 172'800) return tr("%1 h").arg(QString::number(seconds / 3'600, 'g', 2));
    return tr("%1 days").arg(std::round(seconds / 86'400));
}

}  // namespace

Throughput assumedThroughput() {
    return {kAssumedGflopsPerCore * std::max(1, QThread::idealThreadCount()), false};
}

Result<RunEstimate> runEstimate(const recipe::RunSpec& spec, bool hasBaseline, const Throughput& throughput) {
    const auto model = arch::parseModelSpec(spec.model);
    if (!model) return model.error();
    const std::vector<arch::Module> modules = arch::listModules(*model);
    RunEstimate estimate;
    estimate.weights = arch::parameterCount(modules);
    const double tokens = static_cast<double>(spec.batch) * static_cast<double>(model->tokensPerSequence());
    const double forward = forwardFlopsPerToken(*model, linearWeights(modules)) * tokens;
    estimate.flopsPerStep = kForwardAndBackward * forward * static_cast<double>(spec.microBatches);
    estimate.runs = static_cast<int>(spec.recipes.size() * spec.seeds.size());
    estimate.twins = hasBaseline ? 1 : 0;
    const double evaluations = spec.evalEvery > 0 ? std::floor(static_cast<double>(spec.steps / spec.evalEvery)) : 0;
    const double all = static_cast<double>(spec.steps) * estimate.flopsPerStep +
                       evaluations * static_cast<double>(spec.evalBatches) * forward;
    const int trained = estimate.runs + estimate.twins;
    estimate.gflops = throughput.gflops;
    estimate.isMeasured = throughput.isMeasured;
    const bool isGpu = spec.device.starts_with("cuda");
    estimate.seconds = isGpu ? 0 : trained * all / (throughput.gflops * 1e9);
    // Runs are stepped in turn: weights of all, activations of one.
    estimate.bytes =
        kProgramBytes + trained * estimate.weights * kBytesPerWeight + tokens * valuesPerToken(*model) * kFloat;
    return estimate;
}

QString shortEstimateText(const RunEstimate& estimate) {
    if (estimate.seconds == 0)
        return tr("about %1; time on a GPU is not estimated").arg(shortNumber(estimate.bytes, "B"));
    return tr("about %1 and %2").arg(durationText(estimate.seconds), shortNumber(estimate.bytes, "B"));
}

QString estimateText(const RunEstimate& estimate) {
    const QString runs = estimate.runs == 1 ? tr("one run") : tr("%1 runs").arg(estimate.runs);
    const QString twins = estimate.twins > 0 ? tr(" and the baseline's hidden twin") : QString();
    const QString rate = estimate.isMeasured ? tr("measured here") : tr("assumed for this processor");
    if (estimate.seconds == 0) {
        return tr("About %1 for %2%3, %4 weights each; time on a GPU is not estimated, nothing was measured there.")
            .arg(shortNumber(estimate.bytes, "B"), runs, twins, shortNumber(estimate.weights, "").trimmed());
    }
    return tr("About %1 and %2: %3%4, %5 weights each, %6 a step and run (forward and backward products), at %7 %8.")
        .arg(durationText(estimate.seconds), shortNumber(estimate.bytes, "B"), runs, twins,
             shortNumber(estimate.weights, "").trimmed(), shortNumber(estimate.flopsPerStep, "FLOP"),
             shortNumber(estimate.gflops * 1e9, "FLOP/s"), rate);
}

}  // namespace octet::ui
