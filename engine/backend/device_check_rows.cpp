// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/device_check_rows.h"

#include <cmath>
#include <cstdio>

#include "engine/numerics/cast_counter.h"
#include "engine/numerics/half_float.h"

namespace octet::backend::checks {
namespace {

using numerics::Fp8Format;

/// splitmix64
uint64_t nextRandom(uint64_t& state) {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

struct FloatLayout {
    int exponentBits, mantissaBits;
};
FloatLayout layoutOf(ElementType type) {
    if (type == ElementType::Float32) return {8, 23};
    return type == ElementType::Bf16 ? FloatLayout{8, 7} : FloatLayout{5, 10};
}

uint32_t exponentFor(Values kind, const FloatLayout& layout, uint64_t random) {
    const auto all = (1u << layout.exponentBits) - 1, bias = all / 2;
    switch (kind) {
        case Values::Wide:
            return static_cast<uint32_t>(random % all);
        case Values::Subnormal:
            return static_cast<uint32_t>(random % 2);
        case Values::Huge:
            return all - 1 - static_cast<uint32_t>(random % 3);
        default:
            return bias - 9 + static_cast<uint32_t>(random % 12);
    }
}

uint32_t elementBits(ElementType type, Values kind, uint64_t& state) {
    const FloatLayout layout = layoutOf(type);
    const uint64_t random = nextRandom(state);
    const uint32_t sign = static_cast<uint32_t>(random & 1) << (layout.exponentBits + layout.mantissaBits);
    if (kind == Values::Zeros) return sign;
    const uint32_t allOnes = ((1u << layout.exponentBits) - 1) << layout.mantissaBits;
    const bool special = random >> 8 & 1, rare = (random >> 9) % 11 == 0;
    const bool nan = kind == Values::WithNan || (kind == Values::WithBoth && special);
    const bool infinite = kind == Values::WithInfinity || kind == Values::WithBoth;
    if (rare && nan) return sign | allOnes | 1u << (layout.mantissaBits - 1);
    if (rare && infinite) return sign | allOnes;
    const uint32_t mantissa = static_cast<uint32_t>(random >> 40) & ((1u << layout.mantissaBits) - 1);
    return sign | exponentFor(kind, layout, random >> 20 & 0xFFFF) << layout.mantissaBits | mantissa;
}

float valueOf(ElementType type, uint32_t bits) {
    if (type == ElementType::Float32) return numerics::floatOf(bits);
    if (type == ElementType::Bf16) return numerics::floatOf(bits << 16);
    return numerics::floatOfHalf(static_cast<uint16_t>(bits));
}

std::string textOf(float value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.9g (%08x)", static_cast<double>(value), numerics::bitsOf(value));
    return text;
}

bool sameFloat(float a, float b) {
    return (a != a && b != b) || numerics::bitsOf(a) == numerics::bitsOf(b);
}

const char* kindName(Values kind) {
    constexpr const char* names[] = {"normal",   "wide",          "subnormal",        "huge",
                                     "with NaN", "with infinity", "NaN and infinity", "zeros"};
    return names[static_cast<int>(kind)];
}

}  // namespace

Input makeInput(ElementType type, int64_t rows, int64_t columns, Values kind, uint64_t seed) {
    Input input{type, kind, rows, columns, {}, {}};
    uint64_t state = seed * 1000003 + static_cast<uint64_t>(kind);
    for (int64_t i = 0; i < rows * columns; ++i) {
        const uint32_t bits = elementBits(type, kind, state);
        for (int64_t byte = 0; byte < bytesOf(type); ++byte)
            input.raw.push_back(static_cast<uint8_t>(bits >> (8 * byte)));
        input.values.push_back(valueOf(type, bits));
    }
    return input;
}

void Rows::same(const char* what, float found, float expected) {
    if (!sameFloat(found, expected))
        fail(std::string(what) + ": found " + textOf(found) + ", expected " + textOf(expected));
}

void Rows::same(const char* what, uint64_t found, uint64_t expected) {
    if (found != expected)
        fail(std::string(what) + ": found " + std::to_string(found) + ", expected " + std::to_string(expected));
}

void Rows::same(const char* what, const std::vector<uint8_t>& found, const std::vector<uint8_t>& expected) {
    for (size_t i = 0; i < expected.size(); ++i) {
        if (found[i] == expected[i]) continue;
        return same((std::string(what) + "[" + std::to_string(i) + "]").c_str(), uint64_t{found[i]},
                    uint64_t{expected[i]});
    }
}

void Rows::same(const char* what, const std::vector<float>& found, const std::vector<float>& expected) {
    for (size_t i = 0; i < expected.size(); ++i) {
        if (sameFloat(found[i], expected[i])) continue;
        return same((std::string(what) + "[" + std::to_string(i) + "]").c_str(), found[i], expected[i]);
    }
}

void Rows::near(const char* what, double found, double expected, double bound) {
    if (std::isnan(expected) && std::isnan(found)) return;
    if (found == expected || std::fabs(found - expected) <= bound) return;
    char text[160];
    std::snprintf(text, sizeof text, "%s: found %.9g, expected %.9g within %.3g", what, found, expected, bound);
    fail(text);
}

std::string rowName(const Input& input, int64_t offset, const std::string& rest) {
    constexpr const char* types[] = {"fp32", "bf16", "fp16"};
    return std::string(types[static_cast<int>(input.type)]) + " " + kindName(input.kind) + " " +
           std::to_string(input.rows) + "x" + std::to_string(input.columns) + ", offset " + std::to_string(offset) +
           ", " + rest;
}

uint8_t encodeAs(Fp8Format format, float scaled) {
    return format == Fp8Format::E4M3 ? numerics::encode<Fp8Format::E4M3>(scaled)
                                     : numerics::encode<Fp8Format::E5M2>(scaled);
}

float decodeAs(Fp8Format format, uint8_t code) {
    return format == Fp8Format::E4M3 ? numerics::decode<Fp8Format::E4M3>(code)
                                     : numerics::decode<Fp8Format::E5M2>(code);
}

void ExpectedTotals::count(Fp8Format format, float x, float scale) {
    const uint8_t code = encodeAs(format, x * scale);
    const float scaleInv = 1.0f / scale, magnitude = std::fabs(x);
    const float limit = numerics::fp8Max(format) * scaleInv;
    ++elements;
    if (format == Fp8Format::E4M3)
        numerics::countElement<Fp8Format::E4M3>(*this, magnitude, magnitude * scale, (code & 0x7F) == 0, limit);
    else
        numerics::countElement<Fp8Format::E5M2>(*this, magnitude, magnitude * scale, (code & 0x7F) == 0, limit);
    if (!std::isfinite(x)) return;
    // Float32 per element, as everywhere; only the order of the sum differs.
    const float dequantised = decodeAs(format, code) * scaleInv, difference = x - dequantised;
    squaredError += static_cast<double>(difference * difference);
    sumSquares += static_cast<double>(x * x);
    sumSquaresCast += static_cast<double>(dequantised * dequantised);
}

void compareTotals(Rows& rows, const CastTotals& found, const ExpectedTotals& expected, bool errorSums) {
    rows.same("elements", found.elements, expected.elements);
    rows.same("underflows", found.underflows, expected.underflows);
    rows.same("overflows", found.overflows, expected.overflows);
    rows.same("saturated", found.saturated, expected.saturated);
    rows.same("NaN", found.nans, expected.nans);
    rows.same("infinities", found.infinities, expected.infinities);
    rows.same("amax", found.amax, expected.amax);
    if (!errorSums) return;
    constexpr double kRelative = 1e-5;  // float32 sums of at most 64 elements
    rows.near("squared error", found.squaredError, expected.squaredError, kRelative * expected.squaredError);
    rows.near("sum of squares", found.sumSquares, expected.sumSquares, kRelative * expected.sumSquares);
    rows.near("sum of cast squares", found.sumSquaresCast, expected.sumSquaresCast,
              kRelative * expected.sumSquaresCast);
}

}  // namespace octet::backend::checks
