// SPDX-License-Identifier: Apache-2.0
#include "engine/train/batch_order.h"

#include <algorithm>

#include "engine/core/hash.h"

namespace octet::train {

int64_t BatchOrder::trainingOffset(int64_t step, int64_t microBatch, int64_t row) const {
    const auto index = static_cast<uint64_t>((step * microBatches + microBatch) * batch + row);
    const auto choices = static_cast<uint64_t>(corpusBytes - bytesPerSequence + 1);
    return static_cast<int64_t>(mixed(mixed(seed) + index) % choices);
}

int64_t BatchOrder::evaluationOffset(int64_t index, int64_t count, int64_t corpusBytes, int64_t bytesPerSequence) {
    const int64_t last = corpusBytes - bytesPerSequence;
    return count <= 1 ? 0 : last * std::min(index, count - 1) / (count - 1);
}

uint64_t BatchOrder::hash() const {
    uint64_t state = kFnvStart;
    for (const auto part : {static_cast<int64_t>(seed), corpusBytes, bytesPerSequence, batch, microBatches}) {
        state = mixed(state ^ static_cast<uint64_t>(part));
    }
    return state;
}

}  // namespace octet::train
