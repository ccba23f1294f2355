// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/device_gemm.h"

#include <optional>

namespace octet::backend {
namespace {

constexpr int64_t roundedUp(int64_t value, int64_t to) {
    return (value + to - 1) / to * to;
}

bool isFp8(GemmType type) {
    return type == GemmType::E4M3 || type == GemmType::E5M2;
}

bool isBlock(ScaleMode mode) {
    return mode == ScaleMode::Block1x128 || mode == ScaleMode::Block128x128;
}

/// A dimension of a GEMM with the name that its user knows.
struct Dimension {
    int64_t size;
    const char* name;
};
struct Dimensions {
    Dimension m, n, k;
};
Dimensions dimensionsOf(const GemmRequest& request) {
    const Dimension tokens{request.tokens, "tokens"};
    const Dimension in{request.inFeatures, "in_features"}, out{request.outFeatures, "out_features"};
    switch (request.kind) {
        case GemmKind::Fprop:
            return {tokens, out, in};
        case GemmKind::Dgrad:
            return {tokens, in, out};
        case GemmKind::Wgrad:
            return {out, in, tokens};
    }
    return {};
}

std::string shapeText(const GemmRequest& request) {
    const Dimensions d = dimensionsOf(request);
    return "[" + std::to_string(d.m.size) + ", " + std::to_string(d.k.size) + "] x [" + std::to_string(d.k.size) +
           ", " + std::to_string(d.n.size) + "]";
}

Error refused(const GemmRequest& request, const std::string& why, const std::string& hint) {
    return {ErrorCode::Refused,
            "Layer " + request.layer + ", " + gemmName(request.kind) + " " + shapeText(request) + ": " + why, hint};
}

std::string capabilityText(int capability) {
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::optional<Error> typeTrouble(const GemmRequest& request) {
    const GemmType a = request.a.type, b = request.b.type;
    if (isFp8(a) != isFp8(b) || (!isFp8(a) && a != b)) {
        return refused(request,
                       std::string("expected both operands in FP8 or both in one other type, found ") + typeName(a) +
                           " and " + typeName(b) + ".",
                       "Keep the whole GEMM in high precision, or none of its operands.");
    }
    if (a == GemmType::E5M2 && b == GemmType::E5M2) {
        return refused(request, "tensor cores do not multiply E5M2 by E5M2.", "Use E4M3 for one of the operands.");
    }
    if (isFp8(request.out)) {
        return refused(request, "expected a BF16 or FP32 result, found FP8.", "Octet does not chain FP8 outputs.");
    }
    return {};
}

std::optional<Error> modeTrouble(const GemmRequest& request) {
    const ScaleMode a = request.a.scaling, b = request.b.scaling;
    if (a == ScaleMode::Block128x128 && b == ScaleMode::Block128x128) {
        return refused(request, "cuBLASLt does not multiply two operands with 128x128 blocks.",
                       "Use 1x128 blocks for one of them, as Transformer Engine does for x and dy.");
    }
    if (a != b && !(isBlock(a) && isBlock(b))) {
        return refused(request, "both operands need the same kind of scales.", "Choose one scaling for the layer.");
    }
    return {};
}

std::optional<Error> capabilityTrouble(const GemmRequest& request) {
    const int have = request.capability;
    const ScaleMode mode = request.a.scaling;
    const std::string found = "this GPU has compute capability " + capabilityText(have) + ".";
    if (have < 89) return refused(request, "FP8 needs compute capability 8.9 or newer; " + found, "Use --device cpu.");
    if (mode == ScaleMode::Mx1x32 && (have < 100 || have >= 120)) {
        return refused(request, "MXFP8 needs compute capability 10.x; " + found,
                       "Octet emulates MXFP8 on the CPU: --device cpu.");
    }
    if (isBlock(mode) && have / 10 != 9) {
        return refused(request, "FP8 block scaling with float32 scales needs compute capability 9.0; " + found,
                       "Use MXFP8 there, or --device cpu.");
    }
    if (mode == ScaleMode::Row && have / 10 != 9) {
        return refused(request, "cuBLASLt's rowwise scales need compute capability 9.0; " + found,
                       "Use tensorwise scaling there, or --device cpu.");
    }
    if (mode == ScaleMode::Row && request.out != GemmType::Bf16) {
        return refused(request, "rowwise scales give BF16 results only.", "Use activation_dtype bf16.");
    }
    return {};
}

Error notDivisible(const GemmRequest& request, const Dimension& dimension, int64_t by, const char* hint) {
    return refused(request,
                   std::string("expected ") + dimension.name + " divisible by " + std::to_string(by) + ", found " +
                       std::to_string(dimension.size) + ".",
                   hint);
}

/// What the contraction must be a multiple of: 16-byte rows, and whole MX blocks.
int64_t contractionStep(ScaleMode mode) {
    return mode == ScaleMode::Mx1x32 ? 32 : 16;
}

std::optional<Error> shapeTrouble(const GemmRequest& request) {
    const Dimensions d = dimensionsOf(request);
    const ScaleMode mode = request.a.scaling;
    const int64_t step = contractionStep(mode);
    const char* featureHint = "Keep this layer in high precision, or change the model's width.";
    if (d.n.size % step != 0) return notDivisible(request, d.n, step, featureHint);
    if (d.k.size % step != 0 && !request.padInnerDim) {
        const char* hint = request.kind == GemmKind::Wgrad
                               ? "Set pad_inner_dim, or choose batch and context so that it divides."
                               : "Set pad_inner_dim, or keep this layer in high precision.";
        return notDivisible(request, d.k, step, hint);
    }
    if (mode == ScaleMode::Mx1x32 && d.m.size % 32 != 0) {
        return notDivisible(request, d.m, 32, "Choose batch and context so that it divides.");
    }
    if (isBlock(mode) && d.m.size % 8 != 0) {
        return notDivisible(request, d.m, 8, "Choose batch and context so that it divides.");
    }
    return {};
}

}  // namespace

bool defaultFastAccumulation(GemmKind kind, ScaleMode scaling) {
    return kind == GemmKind::Fprop && !isBlock(scaling);
}

Result<GemmPlan> planGemm(const GemmRequest& request) {
    if (auto trouble = typeTrouble(request)) return *trouble;
    const bool fp8 = isFp8(request.a.type);
    if (fp8) {
        for (const auto& find : {modeTrouble, capabilityTrouble, shapeTrouble})
            if (auto trouble = find(request)) return *trouble;
    }
    const Dimensions d = dimensionsOf(request);
    GemmPlan plan;
    plan.m = d.m.size;
    plan.n = d.n.size;
    plan.k = fp8 ? roundedUp(d.k.size, contractionStep(request.a.scaling)) : d.k.size;
    plan.paddedK = plan.k - d.k.size;
    plan.aPitch = plan.bPitch = plan.k;
    plan.outPitch = plan.n;
    plan.aType = request.a.type;
    plan.bType = request.b.type;
    plan.out = request.out;
    plan.aScaling = fp8 ? request.a.scaling : ScaleMode::None;
    plan.bScaling = fp8 ? request.b.scaling : ScaleMode::None;
    plan.fastAccumulation = fp8 && request.fastAccumulation && !isBlock(request.a.scaling) ? 1 : 0;
    plan.bias = request.bias && request.kind == GemmKind::Fprop ? 1 : 0;
    return plan;
}

ScaleLayout scaleLayout(ScaleMode mode, int64_t rows, int64_t k) {
    switch (mode) {
        case ScaleMode::None:
            return {};
        case ScaleMode::Tensor:
            return {1, 0, 0, false, 0};
        case ScaleMode::Row:
            return {rows, 1, 0, false, 0};
        case ScaleMode::Block1x128: {  // a block's scales of all rows lie together
            const int64_t pitch = roundedUp(rows, 4);
            return {pitch * ((k + 127) / 128), 1, pitch, false, 0};
        }
        case ScaleMode::Block128x128: {
            const int64_t pitch = roundedUp((k + 127) / 128, 4);
            return {pitch * ((rows + 127) / 128), pitch, 1, false, 0};
        }
        case ScaleMode::Mx1x32: {
            const int64_t blocks = roundedUp((k + 31) / 32, 4);
            return {roundedUp(rows, 128) * blocks, 0, 0, true, blocks / 4};
        }
    }
    return {};
}

const char* gemmName(GemmKind kind) {
    constexpr const char* names[] = {"fprop", "dgrad", "wgrad"};
    return names[static_cast<int>(kind)];
}

const char* typeName(GemmType type) {
    constexpr const char* names[] = {"E4M3", "E5M2", "BF16", "FP32"};
    return names[static_cast<int>(type)];
}

}  // namespace octet::backend
