// SPDX-License-Identifier: Apache-2.0
// Training text as bytes: any file or folder, the sample every Debian carries, or synthetic text of known entropy;
// with a part held out that shares no document and no near-duplicate with the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace octet::train {

struct Document {
    std::string name;
    std::vector<uint8_t> bytes;
};

struct Corpus {
    std::string description;  // "18 files, 271,402 bytes, 9.8 % held out"
    std::vector<uint8_t> training;
    std::vector<uint8_t> heldOut;
    std::vector<std::string> heldOutNames;
    double unigramEntropy = 0;           // nats per byte, of the training part
    std::optional<double> entropyFloor;  // nats per byte; known for synthetic text only
    uint64_t hash = 0;                   // of both parts
};

/// What the run needs of a corpus; checked with a sentence.
struct CorpusNeeds {
    int64_t bytesPerSequence = 129;
    int64_t batch = 8;
    int64_t vocab = 256;
};

/// @param spec  "text:PATH", "synthetic:SEED" or "sample"
[[nodiscard]] Result<Corpus> loadCorpus(const std::string& spec, const CorpusNeeds& needs);

/// Splits whole documents: equal ones are taken once, near-duplicates (half of their 8-byte shingles shared) stay
/// together, and groups are held out in hash order until 10 % of the bytes are. Where no group is small enough, the
/// last tenth of every document is held out instead.
[[nodiscard]] Corpus splitDocuments(std::vector<Document> documents);

/// Entropy of the byte frequencies in nats; 0 for no bytes.
[[nodiscard]] double unigramEntropy(const std::vector<uint8_t>& bytes);

}  // namespace octet::train
