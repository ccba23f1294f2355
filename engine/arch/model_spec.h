// SPDX-License-Identifier: Apache-2.0
// What model to build, as text: "llama:d=256,layers=4,heads=4,ctx=128,vocab=256" or
// "mlp:window=32,d=32,hidden=256,layers=2".
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/result.h"

namespace octet::arch {

enum class ModelKind { Llama, Mlp };

/// Dimensions of one model. Fields that a kind does not use keep their default.
struct ModelSpec {
    ModelKind kind = ModelKind::Llama;
    int64_t d = 128;     // hidden size (llama), width of the byte embedding (mlp)
    int64_t layers = 4;  // transformer blocks (llama), hidden linears (mlp)
    int64_t heads = 4;   // llama
    int64_t ctx = 128;   // llama: tokens of one sequence
    int64_t vocab = 256;
    int64_t window = 32;   // mlp: bytes seen
    int64_t hidden = 256;  // mlp

    /// Llama's feed-forward width: 8d/3 rounded up to a multiple of 16.
    [[nodiscard]] int64_t feedForward() const { return (8 * d / 3 + 15) / 16 * 16; }
    /// Positions of one sequence that give a loss term: ctx (llama), 1 (mlp).
    [[nodiscard]] int64_t tokensPerSequence() const { return kind == ModelKind::Llama ? ctx : 1; }
    /// Bytes that one training example needs, target included.
    [[nodiscard]] int64_t bytesPerSequence() const { return (kind == ModelKind::Llama ? ctx : window) + 1; }

    bool operator==(const ModelSpec&) const = default;
};

/// Parses a SPEC; "mlp" alone is valid. Refuses unknown kinds and keys (naming the nearest), dimensions below 1, and a
/// Llama d that heads do not divide or whose head size is odd (RoPE rotates pairs).
[[nodiscard]] Result<ModelSpec> parseModelSpec(const std::string& text);

/// The SPEC with every dimension of its kind written out.
[[nodiscard]] std::string modelSpecText(const ModelSpec& spec);

}  // namespace octet::arch
