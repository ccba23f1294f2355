// SPDX-License-Identifier: Apache-2.0
// The modules of a model as Hugging Face names them, in named_modules() order, without building the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/arch/model_spec.h"

namespace octet::arch {

enum class ModuleKind { Linear, LayerNorm, RmsNorm, Embedding, Conv1d, Other };

struct Module {
    std::string name;  // dotted path from the root; "" is the root itself
    ModuleKind kind = ModuleKind::Linear;
    std::vector<int64_t> dims;  // Linear: [out_features, in_features]; norms: normalized_shape; else the weight's shape
    bool bias = false;          // Linear, LayerNorm
    bool affine = true;         // LayerNorm: has a weight

    [[nodiscard]] int64_t outFeatures() const { return dims.at(0); }
    [[nodiscard]] int64_t inFeatures() const { return dims.at(1); }
};

/// Modules that hold weights, in registration order (Llama: embed_tokens, then per block q, k, v, o, gate, up, down and
/// the two norms, then norm and lm_head), named as Hugging Face names them. GPT has nn.Linear where GPT-2 has Conv1D,
/// and BERT no token types. In a MoE block the router comes before the experts: with fewer than 16 of them
/// Accelerate's conversion for Transformer Engine stops there and leaves all experts of the block in high precision.
/// A test compares this list with the built LibTorch model.
[[nodiscard]] std::vector<Module> listModules(const ModelSpec& spec);

/// Only the Linears of `modules`, same order.
[[nodiscard]] std::vector<Module> linearsOf(const std::vector<Module>& modules);

/// Weights and biases; a double, since the SPEC's limits allow more than 2^63 of them.
[[nodiscard]] double parameterCount(const std::vector<Module>& modules);

}  // namespace octet::arch
