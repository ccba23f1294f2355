// SPDX-License-Identifier: Apache-2.0
// What a matrix library is asked for: a pure function from a linear's GEMM and its shape to types, scale modes, sizes,
// padding and refusals. No CUDA: recipes are checked on machines without a GPU, before a run starts.
// Every GEMM is out[m, n] = a[m, k] b[n, k]^T with both operands contiguous along k, the form ("TN") that Hopper's FP8
// units have: fprop y = x w^T; dgrad dx = dy (w^T)^T from transposed weight codes; wgrad dw = dy^T (x^T)^T from
// transposed codes of both.
// Sources: cuBLASLt 13.0 (cublasLtMatmul, FP8 and scale modes); facts on TE 2.20 and torchao 0.18.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/core/result.h"
#include "engine/numerics/fp8_format.h"

namespace octet::backend {

enum class GemmKind : int32_t { Fprop, Dgrad, Wgrad };
enum class GemmType : int32_t { E4M3, E5M2, Bf16, Float32 };

/// One scale for the tensor, one per row of a or b, one per 1x128 or 128x128 block, or E8M0 per 1x32.
/// Row without fast accumulation: torchao multiplies a unit-scale product afterwards; its rowwise scales are powers of
/// two, so scaling inside gives the same bits.
enum class ScaleMode : int32_t { None, Tensor, Row, Block1x128, Block128x128, Mx1x32 };

struct GemmOperandSpec {
    GemmType type = GemmType::E4M3;
    ScaleMode scaling = ScaleMode::Tensor;  // None for Bf16 and Float32
};

struct GemmRequest {
    std::string layer;  // for sentences
    GemmKind kind = GemmKind::Fprop;
    int64_t tokens = 0, inFeatures = 0, outFeatures = 0;
    /// The two tensors that this GEMM multiplies: fprop x, w; dgrad dy, w; wgrad dy, x.
    GemmOperandSpec a, b;
    GemmType out = GemmType::Bf16;
    bool bias = false;
    bool padInnerDim = false;
    bool fastAccumulation = false;  // see defaultFastAccumulation
    int capability = 90;            // 10 * major + minor
};

/// On for fprop, off for dgrad and wgrad, as TE and torchao do; FP8 block scaling never uses it.
[[nodiscard]] bool defaultFastAccumulation(GemmKind kind, ScaleMode scaling);

/// Plain, so that it crosses the plug-in's border and is the key under which the library's own plan is kept.
struct GemmPlan {
    int64_t m = 0, n = 0, k = 0;  // k with its padding
    int64_t aPitch = 0, bPitch = 0, outPitch = 0;
    GemmType aType = GemmType::E4M3, bType = GemmType::E4M3, out = GemmType::Bf16;
    ScaleMode aScaling = ScaleMode::Tensor, bScaling = ScaleMode::Tensor;
    int32_t fastAccumulation = 0, bias = 0;
    int64_t paddedK = 0;  // how many zeros stand behind each row

    bool operator==(const GemmPlan&) const = default;
};

/// Device pointers of one call. Scales multiply after the cast (scale_inv); null for ScaleMode::None.
struct GemmOperands {
    const void *a = nullptr, *b = nullptr;
    const void *aScale = nullptr, *bScale = nullptr;
    const void* bias = nullptr;  // [n], the output's type
    void* out = nullptr;         // [m, outPitch]
};

/// Refuses, in words with layer, GEMM and shape, what the GPU's matrix library does not multiply.
[[nodiscard]] Result<GemmPlan> planGemm(const GemmRequest& request);

/// Floats or bytes that the scales of one operand need, and how they lie (the layouts cuBLASLt reads).
struct ScaleLayout {
    int64_t count = 0;                        // entries, padding included
    int64_t lineStride = 0, blockStride = 0;  // of (row, block); unused when swizzled
    bool swizzled = false;
    int64_t swizzleTiles = 0;
};
[[nodiscard]] ScaleLayout scaleLayout(ScaleMode mode, int64_t rows, int64_t k);

[[nodiscard]] const char* gemmName(GemmKind kind);
[[nodiscard]] const char* typeName(GemmType type);

}  // namespace octet::backend
