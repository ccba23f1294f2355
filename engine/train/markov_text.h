// SPDX-License-Identifier: Apache-2.0
// Synthetic text: an order-2 Markov chain made from a seed, whose entropy is known, so that a loss curve has a floor.
#pragma once

#include <cstdint>
#include <vector>

namespace octet::train {

struct MarkovText {
    std::vector<uint8_t> bytes;
    double entropy = 0;  // nats a byte, of the stationary chain: no model can do better on average
};

/// 1,048,576 bytes over 32 symbols ('A' to '`'; 0 to 31 for vocabularies below 256; fewer for one below 32).
[[nodiscard]] MarkovText makeMarkovText(uint64_t seed, int64_t vocab);

/// Entropy rate of a chain: transition[(a * n + b) * n + c] is the probability of c after a, b.
[[nodiscard]] double entropyRate(const std::vector<double>& transition, size_t symbols);

}  // namespace octet::train
