// SPDX-License-Identifier: Apache-2.0
// Reads golden files (tests/data/golden; made by running the real libraries) and their hexadecimal words.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QList>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/numerics/fp8_scalar.h"

namespace octet::tests {

inline std::string dataPath(const std::string& name) {
    return std::string(OCTET_TEST_DATA) + "/" + name;
}

inline Json goldenJson(const std::string& name) {
    const auto text = readFile(dataPath("golden/" + name));
    if (!text.ok()) qFatal("%s", text.error().message.c_str());
    auto json = parseJson(*text, name);
    if (!json.ok()) qFatal("%s", json.error().message.c_str());
    return std::move(json).value();
}

/// "3f800000 7fc00000" -> float32 values, bit for bit.
inline std::vector<float> floatsFromWords(const std::string& words) {
    std::vector<float> values;
    for (const QByteArray& word : QByteArray::fromStdString(words).split(' ')) {
        if (!word.isEmpty()) values.push_back(numerics::floatOf(word.toUInt(nullptr, 16)));
    }
    return values;
}

/// The float32 value of a float16 word.
inline float floatOfHalf(uint16_t half) {
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16, magnitude = half & 0x7FFFu;
    if (magnitude >= 0x7C00u) return numerics::floatOf(sign | 0x7F800000u | (magnitude & 0x3FFu) << 13);
    if (magnitude >= 0x400u) return numerics::floatOf(sign | ((magnitude << 13) + (112u << 23)));
    return numerics::floatOf(sign | numerics::bitsOf(static_cast<float>(magnitude) * 0x1p-24f));
}

/// Words of "float32", "bfloat16" or "float16" as float32 values.
inline std::vector<float> floatsFromWordsOf(const std::string& dtype, const std::string& words) {
    if (dtype == "float32") return floatsFromWords(words);
    std::vector<float> values;
    for (const QByteArray& word : QByteArray::fromStdString(words).split(' ')) {
        const auto bits = static_cast<uint16_t>(word.toUInt(nullptr, 16));
        values.push_back(dtype == "bfloat16" ? numerics::floatOf(static_cast<uint32_t>(bits) << 16)
                                             : floatOfHalf(bits));
    }
    return values;
}

/// "7e00ff" -> bytes
inline std::vector<uint8_t> bytesFromHex(const std::string& hex) {
    const QByteArray raw = QByteArray::fromHex(QByteArray::fromStdString(hex));
    return {raw.begin(), raw.end()};
}

/// Bit pattern for messages: equal floats compare equal as bits, NaN payloads aside.
inline bool sameFloat(float a, float b) {
    const bool bothNan = a != a && b != b;
    return bothNan || numerics::bitsOf(a) == numerics::bitsOf(b);
}

inline QByteArray hexOf(float value) {
    return QByteArray::number(numerics::bitsOf(value), 16).rightJustified(8, '0');
}

}  // namespace octet::tests
