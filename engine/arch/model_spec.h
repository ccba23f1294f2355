// SPDX-License-Identifier: Apache-2.0
// What model to build, as text: "llama:d=256,layers=4,heads=4,ctx=128,vocab=256", "gpt:...", "bert:...",
// "moe:experts=8,..." or "mlp:window=32,d=32,hidden=256,layers=2".
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/result.h"

namespace octet::arch {

/// Llama: decoder with RMSNorm, rotary positions, SwiGLU. Gpt: decoder with LayerNorm, learned positions, GELU. Bert:
/// encoder with masked tokens. Moe: a Llama whose feed-forward is a router and experts, as Mixtral's. Mlp: next byte.
enum class ModelKind { Llama, Mlp, Gpt, Bert, Moe };

/// Dimensions of one model. Fields that a kind does not use keep their default.
struct ModelSpec {
    ModelKind kind = ModelKind::Llama;
    int64_t d = 128;     // hidden size, width of the byte embedding (mlp)
    int64_t layers = 4;  // transformer blocks, hidden linears (mlp)
    int64_t heads = 4;   // all but mlp
    int64_t ctx = 128;   // tokens of one sequence, all but mlp
    int64_t vocab = 256;
    int64_t experts = 8;   // moe; every token goes to two of them
    int64_t window = 32;   // mlp: bytes seen
    int64_t hidden = 256;  // mlp

    /// Feed-forward width: 8d/3 rounded up to a multiple of 16 (llama, moe: of each expert), 4d (gpt, bert).
    [[nodiscard]] int64_t feedForward() const {
        return kind == ModelKind::Gpt || kind == ModelKind::Bert ? 4 * d : (8 * d / 3 + 15) / 16 * 16;
    }
    [[nodiscard]] bool isTransformer() const { return kind != ModelKind::Mlp; }
    /// Positions of one sequence that the model reads and is asked about: ctx, 1 (mlp).
    [[nodiscard]] int64_t tokensPerSequence() const { return isTransformer() ? ctx : 1; }
    /// Bytes that one training example needs: the next byte included, except for bert, which guesses bytes of its own.
    [[nodiscard]] int64_t bytesPerSequence() const {
        return kind == ModelKind::Bert ? ctx : (isTransformer() ? ctx : window) + 1;
    }

    bool operator==(const ModelSpec&) const = default;
};

/// Parses a SPEC; "mlp" alone is valid. Refuses unknown kinds and keys (naming the nearest), dimensions below 1, a d
/// that heads do not divide, an odd head size (llama, moe: RoPE rotates pairs) and fewer than two experts.
[[nodiscard]] Result<ModelSpec> parseModelSpec(const std::string& text);

/// The SPEC with every dimension of its kind written out.
[[nodiscard]] std::string modelSpecText(const ModelSpec& spec);

}  // namespace octet::arch
