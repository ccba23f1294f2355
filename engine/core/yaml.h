// SPDX-License-Identifier: Apache-2.0
// YAML as PyYAML's safe loader reads it (YAML 1.1), which is what Accelerate and nvdlfw_inspect use. yaml-cpp parses;
// the type of a scalar is decided here, because yaml-cpp decides otherwise: NO and off are booleans, 1e-4 is text,
// 017 is 15, 1_000 is 1000, 1:30 is 90.
#pragma once

#include <string_view>

#include "engine/core/marked_value.h"

namespace octet {

/// Configuration files are a few kilobytes; anything above this is not one.
inline constexpr uint64_t kYamlLimit = uint64_t{1} << 18;

/// Kind and value of a scalar that is written without quotes.
struct YamlScalar {
    MarkedValue::Kind kind = MarkedValue::Kind::Text;
    Json value;
};
[[nodiscard]] YamlScalar typedScalar(std::string_view text);

/// Reads one document. Refuses what PyYAML refuses (tabs between tokens, control characters, foreign tags), and also a
/// key that comes twice, which PyYAML would accept silently, texts above kYamlLimit, and aliases that grow beyond
/// reason.
/// @param what     names the text in messages, "file a.yaml"
/// @param problem  where the error is, if it is one
[[nodiscard]] Result<MarkedValue> parseYaml(std::string_view text, std::string_view what, TextPlace* problem = nullptr);

/// The first byte that is no UTF-8, or npos.
[[nodiscard]] size_t firstNonUtf8(std::string_view text);

}  // namespace octet
