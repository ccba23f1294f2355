// SPDX-License-Identifier: Apache-2.0
// Decoders: Llama and its relatives, Mixtral, GPT-2.
#include <fmt/format.h>

#include <algorithm>

#include "engine/arch/config_families.h"
#include "engine/arch/module_builder.h"
#include "engine/core/text.h"

namespace octet::arch {
namespace {

constexpr int64_t kMostHeads = 4'096;
constexpr int64_t kMostExperts = 4'096;
constexpr int64_t kMostModules = 1'000'000;  // layers x experts

/// Defaults of a decoder's config class; what differs between Llama, Mistral, Qwen and Mixtral.
struct Decoder {
    int64_t hidden, ffn, layers, heads, kvHeads, vocab, headSize;  // headSize 0: hidden / heads
    bool queryBias = false;                                        // q, k, v of Qwen2; never o
    bool headNorms = false;                                        // Qwen3: an RMSNorm for q and for k
    bool experts = false;                                          // Mixtral
};

constexpr Decoder kLlama{4096, 11008, 32, 32, 0, 32000, 0};
constexpr Decoder kMistral{4096, 14336, 32, 32, 8, 32000, 0};
constexpr Decoder kQwen2{4096, 22016, 32, 32, 32, 151936, 0, true};
constexpr Decoder kQwen3{4096, 22016, 32, 32, 32, 151936, 128, false, true};
constexpr Decoder kMixtral{4096, 14336, 32, 32, 8, 32000, 0, false, false, true};

/// Sizes of one decoder after the config has had its say.
struct DecoderSizes {
    Decoder of;
    int64_t experts = 0;
    bool attentionBias = false, mlpBias = false;
};

DecoderSizes readDecoder(ConfigFields& config, const Decoder& defaults) {
    DecoderSizes sizes{defaults};
    Decoder& of = sizes.of;
    of.hidden = config.count("hidden_size", of.hidden);
    of.ffn = config.count("intermediate_size", of.ffn);
    of.layers = config.count("num_hidden_layers", of.layers, kMostLayers);
    of.heads = config.count("num_attention_heads", of.heads, kMostHeads);
    of.kvHeads = config.count("num_key_value_heads", of.kvHeads > 0 ? of.kvHeads : of.heads, kMostHeads);
    of.vocab = config.count("vocab_size", of.vocab);
    of.headSize = config.count("head_dim", of.headSize > 0 ? of.headSize : std::max<int64_t>(1, of.hidden / of.heads));
    if (of.experts) sizes.experts = config.count("num_local_experts", 8, kMostExperts);
    if (!of.queryBias) sizes.attentionBias = config.flag("attention_bias", false);
    sizes.mlpBias = config.flag("mlp_bias", false);
    return sizes;
}

void addAttention(ModuleBuilder& out, const std::string& at, const DecoderSizes& sizes) {
    const Decoder& of = sizes.of;
    const int64_t queries = of.heads * of.headSize, keys = of.kvHeads * of.headSize;
    const bool bias = of.queryBias || sizes.attentionBias;
    out.linear(at + "self_attn.q_proj", queries, of.hidden, bias);
    out.linear(at + "self_attn.k_proj", keys, of.hidden, bias);
    out.linear(at + "self_attn.v_proj", keys, of.hidden, bias);
    out.linear(at + "self_attn.o_proj", of.hidden, queries, sizes.attentionBias);
    if (!of.headNorms) return;
    out.rmsNorm(at + "self_attn.q_norm", of.headSize);
    out.rmsNorm(at + "self_attn.k_norm", of.headSize);
}

void addExperts(ModuleBuilder& out, const std::string& at, const DecoderSizes& sizes) {
    const Decoder& of = sizes.of;
    out.linear(at + "block_sparse_moe.gate", sizes.experts, of.hidden, false);
    for (int64_t expert = 0; expert < sizes.experts; ++expert) {
        const std::string one = fmt::format("{}block_sparse_moe.experts.{}.", at, expert);
        out.linear(one + "w1", of.ffn, of.hidden, false);
        out.linear(one + "w2", of.hidden, of.ffn, false);
        out.linear(one + "w3", of.ffn, of.hidden, false);
    }
}

void addFeedForward(ModuleBuilder& out, const std::string& at, const DecoderSizes& sizes) {
    const Decoder& of = sizes.of;
    out.linear(at + "mlp.gate_proj", of.ffn, of.hidden, sizes.mlpBias);
    out.linear(at + "mlp.up_proj", of.ffn, of.hidden, sizes.mlpBias);
    out.linear(at + "mlp.down_proj", of.hidden, of.ffn, sizes.mlpBias);
}

void decoderModules(ConfigFields& config, ConfigModel& model, const Decoder& defaults) {
    const DecoderSizes sizes = readDecoder(config, defaults);
    const Decoder& of = sizes.of;
    if (of.layers * std::max<int64_t>(1, sizes.experts) > kMostModules) return;  // an empty list is refused
    ModuleBuilder out;
    const bool bare = config.architecture().ends_with("Model");
    const std::string root = bare ? "" : "model.";
    out.embedding(root + "embed_tokens", of.vocab, of.hidden);
    for (int64_t layer = 0; layer < of.layers; ++layer) {
        const std::string at = fmt::format("{}layers.{}.", root, layer);
        addAttention(out, at, sizes);
        if (of.experts)
            addExperts(out, at, sizes);
        else
            addFeedForward(out, at, sizes);
        out.rmsNorm(at + "input_layernorm", of.hidden);
        out.rmsNorm(at + "post_attention_layernorm", of.hidden);
    }
    out.rmsNorm(root + "norm", of.hidden);
    if (!bare) out.linear("lm_head", of.vocab, of.hidden, false);
    model.summary = sizeText(of.layers, of.hidden, of.vocab);
    if (of.experts) model.summary += fmt::format(", {} experts", sizes.experts);
    model.modules = out.take();
}

}  // namespace

std::string sizeText(int64_t layers, int64_t hidden, int64_t vocab) {
    return fmt::format("{} layers, hidden {}, vocabulary {}", layers, groupedDigits(hidden), groupedDigits(vocab));
}

void llamaModules(ConfigFields& config, ConfigModel& model) {
    decoderModules(config, model, kLlama);
}

void mistralModules(ConfigFields& config, ConfigModel& model) {
    decoderModules(config, model, kMistral);
}

void qwen2Modules(ConfigFields& config, ConfigModel& model) {
    decoderModules(config, model, kQwen2);
}

void qwen3Modules(ConfigFields& config, ConfigModel& model) {
    decoderModules(config, model, kQwen3);
}

void mixtralModules(ConfigFields& config, ConfigModel& model) {
    decoderModules(config, model, kMixtral);
}

void gpt2Modules(ConfigFields& config, ConfigModel& model) {
    const int64_t width = config.count("n_embd", 768), layers = config.count("n_layer", 12, kMostLayers);
    const int64_t vocab = config.count("vocab_size", 50257), inner = config.count("n_inner", 4 * width);
    ModuleBuilder out;
    const bool bare = config.architecture() == "GPT2Model";
    const std::string root = bare ? "" : "transformer.";
    out.embedding(root + "wte", vocab, width);
    out.embedding(root + "wpe", config.count("n_positions", 1024), width);
    for (int64_t layer = 0; layer < layers; ++layer) {
        const std::string at = fmt::format("{}h.{}.", root, layer);
        out.layerNorm(at + "ln_1", width);
        out.conv1d(at + "attn.c_attn", width, 3 * width);
        out.conv1d(at + "attn.c_proj", width, width);
        out.layerNorm(at + "ln_2", width);
        out.conv1d(at + "mlp.c_fc", width, inner);
        out.conv1d(at + "mlp.c_proj", inner, width);
    }
    out.layerNorm(root + "ln_f", width);
    if (!bare) out.linear("lm_head", vocab, width, false);
    model.summary = sizeText(layers, width, vocab);
    model.notes.push_back(fmt::format(
        "GPT-2's {} Conv1D layers are not nn.Linear: neither Accelerate nor torchao converts them.", 4 * layers));
    model.modules = out.take();
}

}  // namespace octet::arch
