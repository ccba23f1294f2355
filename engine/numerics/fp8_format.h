// SPDX-License-Identifier: Apache-2.0
// The two FP8 formats of training. E4M3 is the OCP "FN" variant: no infinities, NaN is 0x7F and 0xFF.
#pragma once

#include <cstdint>

namespace octet::numerics {

enum class Fp8Format : uint8_t { E4M3, E5M2 };

/// How a value outside the format becomes a code.
enum class CastPolicy : uint8_t {
    SatFinite,  // CUDA and Transformer Engine: saturate to the largest finite value, every NaN becomes 0x7F
    Torchao,    // torchao: clamp, then torch's cast; NaN keeps its sign (0x7F or 0xFF)
    Plain,      // torch's cast alone: overflow becomes NaN (E4M3) or infinity (E5M2); NaN keeps its sign
};

[[nodiscard]] constexpr const char* formatName(Fp8Format format) {
    return format == Fp8Format::E4M3 ? "E4M3" : "E5M2";
}

/// Largest finite value: 448 or 57344.
[[nodiscard]] constexpr float fp8Max(Fp8Format format) {
    return format == Fp8Format::E4M3 ? 448.0f : 57344.0f;
}

/// From this scaled magnitude on a value rounds above the largest finite one. E4M3: strictly above 464 (the tie rounds
/// to the even 448); E5M2: 61440 and above (the tie rounds away).
[[nodiscard]] constexpr bool roundsAboveMax(Fp8Format format, float magnitude) {
    return format == Fp8Format::E4M3 ? magnitude > 464.0f : magnitude >= 61440.0f;
}

}  // namespace octet::numerics
