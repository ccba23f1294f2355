// SPDX-License-Identifier: Apache-2.0
// Small fixed hashes: the same on every machine, not for security.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace octet {

inline constexpr uint64_t kFnvStart = 0xcbf29ce484222325u;

/// FNV-1a over bytes; pass a previous result as `state` to go on.
[[nodiscard]] constexpr uint64_t fnv1a(std::span<const uint8_t> bytes, uint64_t state = kFnvStart) {
    for (const uint8_t byte : bytes)
        state = (state ^ byte) * 0x100000001b3u;
    return state;
}

/// One step of SplitMix64: turns a counter into 64 well mixed bits.
[[nodiscard]] constexpr uint64_t mixed(uint64_t counter) {
    counter += 0x9e3779b97f4a7c15u;
    counter = (counter ^ (counter >> 30)) * 0xbf58476d1ce4e5b9u;
    counter = (counter ^ (counter >> 27)) * 0x94d049bb133111ebu;
    return counter ^ (counter >> 31);
}

/// 53 bits of `mixed(counter)` as a number in [0, 1).
[[nodiscard]] constexpr double mixedUnit(uint64_t counter) {
    return static_cast<double>(mixed(counter) >> 11) * 0x1p-53;
}

}  // namespace octet
