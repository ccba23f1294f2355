// SPDX-License-Identifier: Apache-2.0
#include "engine/arch/module_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace octet::arch {
namespace {

Module linear(std::string name, int64_t out, int64_t in, bool bias) {
    return {std::move(name), ModuleKind::Linear, {out, in}, bias, true};
}

Module embedding(std::string name, int64_t rows, int64_t width) {
    return {std::move(name), ModuleKind::Embedding, {rows, width}, false, true};
}

Module rmsNorm(std::string name, int64_t width) {
    return {std::move(name), ModuleKind::RmsNorm, {width}, false, true};
}

std::vector<Module> llamaModules(const ModelSpec& spec) {
    const int64_t d = spec.d, ff = spec.feedForward();
    std::vector<Module> modules{embedding("model.embed_tokens", spec.vocab, d)};
    for (int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string at = fmt::format("model.layers.{}.", layer);
        for (const char* projection : {"q", "k", "v", "o"}) {
            modules.push_back(linear(fmt::format("{}self_attn.{}_proj", at, projection), d, d, false));
        }
        modules.push_back(linear(at + "mlp.gate_proj", ff, d, false));
        modules.push_back(linear(at + "mlp.up_proj", ff, d, false));
        modules.push_back(linear(at + "mlp.down_proj", d, ff, false));
        modules.push_back(rmsNorm(at + "input_layernorm", d));
        modules.push_back(rmsNorm(at + "post_attention_layernorm", d));
    }
    modules.push_back(rmsNorm("model.norm", d));
    modules.push_back(linear("lm_head", spec.vocab, d, false));
    return modules;
}

std::vector<Module> mlpModules(const ModelSpec& spec) {
    std::vector<Module> modules{embedding("embed", spec.vocab, spec.d)};
    for (int64_t layer = 0; layer < spec.layers; ++layer) {
        const int64_t in = layer == 0 ? spec.window * spec.d : spec.hidden;
        modules.push_back(linear(fmt::format("layers.{}", layer), spec.hidden, in, true));
    }
    modules.push_back(linear("head", spec.vocab, spec.hidden, true));
    return modules;
}

}  // namespace

std::vector<Module> listModules(const ModelSpec& spec) {
    return spec.kind == ModelKind::Llama ? llamaModules(spec) : mlpModules(spec);
}

std::vector<Module> linearsOf(const std::vector<Module>& modules) {
    std::vector<Module> linears;
    std::ranges::copy_if(modules, std::back_inserter(linears),
                         [](const Module& module) { return module.kind == ModuleKind::Linear; });
    return linears;
}

double parameterCount(const std::vector<Module>& modules) {
    double count = 0;
    for (const Module& module : modules) {
        double weights = 1;
        for (int64_t dim : module.dims)
            weights *= static_cast<double>(dim);
        count += weights;
        if (module.kind == ModuleKind::Linear && module.bias) count += static_cast<double>(module.outFeatures());
    }
    return count;
}

}  // namespace octet::arch
