// SPDX-License-Identifier: Apache-2.0
// Which windows of the text a step sees: a function of seed, step, micro-batch and row, so that every run of an
// experiment sees the same bytes in the same order.
#pragma once

#include <cstdint>

namespace octet::train {

struct BatchOrder {
    uint64_t seed = 1;
    int64_t corpusBytes = 0;
    int64_t bytesPerSequence = 129;
    int64_t batch = 8;
    int64_t microBatches = 1;

    /// First byte of the window, in [0, corpusBytes - bytesPerSequence].
    [[nodiscard]] int64_t trainingOffset(int64_t step, int64_t microBatch, int64_t row) const;
    /// Evenly spread windows of a held-out text: the same at every evaluation.
    [[nodiscard]] static int64_t evaluationOffset(int64_t index, int64_t count, int64_t corpusBytes,
                                                  int64_t bytesPerSequence);
    /// Equal for two runs that see the same windows (given the same corpus).
    [[nodiscard]] uint64_t hash() const;
};

}  // namespace octet::train
