// SPDX-License-Identifier: Apache-2.0
// Encoders: BERT with its task heads, ViT.
#include <fmt/format.h>

#include "engine/arch/config_families.h"
#include "engine/arch/module_builder.h"
#include "engine/core/text.h"

namespace octet::arch {
namespace {

/// Sizes that BERT and ViT share.
struct Encoder {
    int64_t hidden, layers, ffn;
};

Encoder readEncoder(ConfigFields& config) {
    return {config.count("hidden_size", 768), config.count("num_hidden_layers", 12, kMostLayers),
            config.count("intermediate_size", 3072)};
}

void addBertLayer(ModuleBuilder& out, const std::string& at, const Encoder& size) {
    for (const char* projection : {"query", "key", "value"})
        out.linear(fmt::format("{}attention.self.{}", at, projection), size.hidden, size.hidden, true);
    out.linear(at + "attention.output.dense", size.hidden, size.hidden, true);
    out.layerNorm(at + "attention.output.LayerNorm", size.hidden);
    out.linear(at + "intermediate.dense", size.ffn, size.hidden, true);
    out.linear(at + "output.dense", size.hidden, size.ffn, true);
    out.layerNorm(at + "output.LayerNorm", size.hidden);
}

/// Heads that read single tokens have no pooler.
void addBertHead(ModuleBuilder& out, const std::string& name, const Encoder& size, int64_t vocab, int64_t labels) {
    const bool words = name == "BertForMaskedLM" || name == "BertLMHeadModel" || name == "BertForPreTraining";
    if (words) {
        out.linear("cls.predictions.transform.dense", size.hidden, size.hidden, true);
        out.layerNorm("cls.predictions.transform.LayerNorm", size.hidden);
        out.linear("cls.predictions.decoder", vocab, size.hidden, true);
    }
    if (name == "BertForPreTraining") out.linear("cls.seq_relationship", 2, size.hidden, true);
    if (name == "BertForQuestionAnswering") out.linear("qa_outputs", labels, size.hidden, true);
    if (name == "BertForMultipleChoice") out.linear("classifier", 1, size.hidden, true);
    if (name == "BertForSequenceClassification" || name == "BertForTokenClassification")
        out.linear("classifier", labels, size.hidden, true);
}

}  // namespace

void bertModules(ConfigFields& config, ConfigModel& model) {
    const Encoder size = readEncoder(config);
    const int64_t vocab = config.count("vocab_size", 30522);
    const std::string name = config.architecture();
    const bool bare = name.empty() || name == "BertModel";
    const bool pooled = bare || name == "BertForSequenceClassification" || name == "BertForMultipleChoice" ||
                        name == "BertForPreTraining";
    const std::string root = bare ? "" : "bert.";
    ModuleBuilder out;
    out.embedding(root + "embeddings.word_embeddings", vocab, size.hidden);
    out.embedding(root + "embeddings.position_embeddings", config.count("max_position_embeddings", 512), size.hidden);
    out.embedding(root + "embeddings.token_type_embeddings", config.count("type_vocab_size", 2), size.hidden);
    out.layerNorm(root + "embeddings.LayerNorm", size.hidden);
    for (int64_t layer = 0; layer < size.layers; ++layer)
        addBertLayer(out, fmt::format("{}encoder.layer.{}.", root, layer), size);
    if (pooled) out.linear(root + "pooler.dense", size.hidden, size.hidden, true);
    addBertHead(out, name, size, vocab, config.labels());
    model.summary = sizeText(size.layers, size.hidden, vocab);
    model.modules = out.take();
}

void vitModules(ConfigFields& config, ConfigModel& model) {
    const Encoder size = readEncoder(config);
    const std::string name = config.architecture();
    const bool bare = name.empty() || name == "ViTModel";
    const std::string root = bare ? "" : "vit.";
    const int64_t patch = config.count("patch_size", 16);
    const bool bias = config.flag("qkv_bias", true);
    ModuleBuilder out;
    out.other(root + "embeddings.patch_embeddings.projection",
              {size.hidden, config.count("num_channels", 3), patch, patch});
    for (int64_t layer = 0; layer < size.layers; ++layer) {
        const std::string at = fmt::format("{}encoder.layer.{}.", root, layer);
        for (const char* projection : {"query", "key", "value"})
            out.linear(fmt::format("{}attention.attention.{}", at, projection), size.hidden, size.hidden, bias);
        out.linear(at + "attention.output.dense", size.hidden, size.hidden, true);
        out.linear(at + "intermediate.dense", size.ffn, size.hidden, true);
        out.linear(at + "output.dense", size.hidden, size.ffn, true);
        out.layerNorm(at + "layernorm_before", size.hidden);
        out.layerNorm(at + "layernorm_after", size.hidden);
    }
    out.layerNorm(root + "layernorm", size.hidden);
    if (bare) out.linear("pooler.dense", size.hidden, size.hidden, true);
    if (name == "ViTForImageClassification") out.linear("classifier", config.labels(), size.hidden, true);
    model.summary = fmt::format("{} layers, hidden {}, patches of {}", size.layers, groupedDigits(size.hidden), patch);
    model.modules = out.take();
}

}  // namespace octet::arch
