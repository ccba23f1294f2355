// SPDX-License-Identifier: Apache-2.0
#include "engine/train/markov_text.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/hash.h"

namespace octet::train {
namespace {

constexpr size_t kBytes = 1 << 20;
constexpr size_t kSymbols = 32;
constexpr double kSharpness = 2.5;  // spread of the log-probabilities: leaves about half of ln 32

double gaussian(uint64_t counter) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - mixedUnit(2 * counter)));
    return radius * std::cos(2.0 * std::numbers::pi * mixedUnit(2 * counter + 1));
}

std::vector<double> makeTransition(uint64_t seed, size_t n) {
    std::vector<double> transition(n * n * n);
    for (size_t pair = 0; pair < n * n; ++pair) {
        double* row = &transition[pair * n];
        double sum = 0;
        for (size_t c = 0; c < n; ++c)
            sum += row[c] = std::exp(kSharpness * gaussian(mixed(seed) + pair * n + c));
        for (size_t c = 0; c < n; ++c)
            row[c] /= sum;
    }
    return transition;
}

}  // namespace

double entropyRate(const std::vector<double>& transition, size_t n) {
    std::vector<double> pairs(n * n, 1.0 / static_cast<double>(n * n)), next(n * n);
    double change = 1;
    for (int round = 0; round < 10'000 && change > 1e-15; ++round) {
        std::fill(next.begin(), next.end(), 0.0);
        for (size_t a = 0; a < n; ++a) {
            for (size_t b = 0; b < n; ++b) {
                for (size_t c = 0; c < n; ++c)
                    next[b * n + c] += pairs[a * n + b] * transition[(a * n + b) * n + c];
            }
        }
        change = 0;
        for (size_t i = 0; i < n * n; ++i)
            change = std::max(change, std::abs(next[i] - pairs[i]));
        pairs.swap(next);
    }
    double entropy = 0;
    for (size_t i = 0; i < transition.size(); ++i) {
        if (transition[i] > 0) entropy -= pairs[i / n] * transition[i] * std::log(transition[i]);
    }
    return entropy;
}

MarkovText makeMarkovText(uint64_t seed, int64_t vocab) {
    const size_t n = std::min(kSymbols, static_cast<size_t>(std::max<int64_t>(vocab, 2)));
    const auto firstSymbol = static_cast<uint8_t>(vocab >= 256 ? 'A' : 0);
    const std::vector<double> transition = makeTransition(seed, n);
    MarkovText text;
    text.entropy = entropyRate(transition, n);
    text.bytes.reserve(kBytes);
    size_t a = 0, b = 0;
    for (size_t i = 0; i < kBytes; ++i) {
        double left = mixedUnit(mixed(seed ^ 0x74657874u) + i);
        size_t c = 0;
        const double* row = &transition[(a * n + b) * n];
        while (c + 1 < n && left >= row[c])
            left -= row[c++];
        text.bytes.push_back(static_cast<uint8_t>(firstSymbol + c));
        a = b;
        b = c;
    }
    return text;
}

}  // namespace octet::train
