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

Module layerNorm(std::string name, int64_t width) {
    return {std::move(name), ModuleKind::LayerNorm, {width}, true, true};
}

void addFeedForward(const ModelSpec& spec, const std::string& at, std::vector<Module>& modules) {
    const int64_t d = spec.d, ff = spec.feedForward();
    if (spec.kind == ModelKind::Llama) {
        modules.push_back(linear(at + "mlp.gate_proj", ff, d, false));
        modules.push_back(linear(at + "mlp.up_proj", ff, d, false));
        modules.push_back(linear(at + "mlp.down_proj", d, ff, false));
        return;
    }
    modules.push_back(linear(at + "block_sparse_moe.gate", spec.experts, d, false));
    for (int64_t expert = 0; expert < spec.experts; ++expert) {
        const std::string name = fmt::format("{}block_sparse_moe.experts.{}.", at, expert);
        modules.push_back(linear(name + "w1", ff, d, false));
        modules.push_back(linear(name + "w2", d, ff, false));
        modules.push_back(linear(name + "w3", ff, d, false));
    }
}

/// Llama, and Mixtral's mixture of experts.
std::vector<Module> llamaModules(const ModelSpec& spec) {
    const int64_t d = spec.d;
    std::vector<Module> modules{embedding("model.embed_tokens", spec.vocab, d)};
    for (int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string at = fmt::format("model.layers.{}.", layer);
        for (const char* projection : {"q", "k", "v", "o"}) {
            modules.push_back(linear(fmt::format("{}self_attn.{}_proj", at, projection), d, d, false));
        }
        addFeedForward(spec, at, modules);
        modules.push_back(rmsNorm(at + "input_layernorm", d));
        modules.push_back(rmsNorm(at + "post_attention_layernorm", d));
    }
    modules.push_back(rmsNorm("model.norm", d));
    modules.push_back(linear("lm_head", spec.vocab, d, false));
    return modules;
}

std::vector<Module> gptModules(const ModelSpec& spec) {
    const int64_t d = spec.d, ff = spec.feedForward();
    std::vector<Module> modules{embedding("transformer.wte", spec.vocab, d), embedding("transformer.wpe", spec.ctx, d)};
    for (int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string at = fmt::format("transformer.h.{}.", layer);
        modules.push_back(layerNorm(at + "ln_1", d));
        modules.push_back(linear(at + "attn.c_attn", 3 * d, d, true));
        modules.push_back(linear(at + "attn.c_proj", d, d, true));
        modules.push_back(layerNorm(at + "ln_2", d));
        modules.push_back(linear(at + "mlp.c_fc", ff, d, true));
        modules.push_back(linear(at + "mlp.c_proj", d, ff, true));
    }
    modules.push_back(layerNorm("transformer.ln_f", d));
    modules.push_back(linear("lm_head", spec.vocab, d, false));
    return modules;
}

std::vector<Module> bertModules(const ModelSpec& spec) {
    const int64_t d = spec.d, ff = spec.feedForward();
    std::vector<Module> modules{embedding("bert.embeddings.word_embeddings", spec.vocab + 1, d),  // and [MASK]
                                embedding("bert.embeddings.position_embeddings", spec.ctx, d),
                                layerNorm("bert.embeddings.LayerNorm", d)};
    for (int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string at = fmt::format("bert.encoder.layer.{}.", layer);
        for (const char* projection : {"query", "key", "value"}) {
            modules.push_back(linear(fmt::format("{}attention.self.{}", at, projection), d, d, true));
        }
        modules.push_back(linear(at + "attention.output.dense", d, d, true));
        modules.push_back(layerNorm(at + "attention.output.LayerNorm", d));
        modules.push_back(linear(at + "intermediate.dense", ff, d, true));
        modules.push_back(linear(at + "output.dense", d, ff, true));
        modules.push_back(layerNorm(at + "output.LayerNorm", d));
    }
    modules.push_back(linear("cls.predictions.transform.dense", d, d, true));
    modules.push_back(layerNorm("cls.predictions.transform.LayerNorm", d));
    modules.push_back(linear("cls.predictions.decoder", spec.vocab, d, true));
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
    switch (spec.kind) {
        case ModelKind::Llama:
        case ModelKind::Moe:
            return llamaModules(spec);
        case ModelKind::Gpt:
            return gptModules(spec);
        case ModelKind::Bert:
            return bertModules(spec);
        case ModelKind::Mlp:
            break;
    }
    return mlpModules(spec);
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
        if (module.bias) count += static_cast<double>(module.dims.at(0));
    }
    return count;
}

}  // namespace octet::arch
