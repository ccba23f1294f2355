// SPDX-License-Identifier: Apache-2.0
#include "engine/train/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "engine/core/files.h"
#include "engine/core/hash.h"
#include "engine/core/text.h"
#include "engine/train/markov_text.h"

namespace octet::train {
namespace fs = std::filesystem;

namespace {

constexpr double kHeldOutShare = 0.10;
constexpr double kLargestHeldOutShare = 0.25;
constexpr size_t kShingleBytes = 8;
constexpr const char* kSampleFolder = "/usr/share/common-licenses";  // base-files, on every Debian
constexpr size_t kSmallestSample = 50'000;

/// A fixed sample of the hashes of all 8-byte shingles; about one in `keepOneIn`.
std::vector<uint64_t> sampledShingles(const std::vector<uint8_t>& bytes, uint64_t keepOneIn) {
    std::set<uint64_t> kept;
    for (size_t i = 0; i + kShingleBytes <= bytes.size(); ++i) {
        const uint64_t hash = mixed(fnv1a(std::span(bytes).subspan(i, kShingleBytes)));
        if (hash % keepOneIn == 0) kept.insert(hash);
    }
    return {kept.begin(), kept.end()};
}

/// Union-find over documents.
class Groups {
public:
    explicit Groups(size_t count) : m_parent(count) { std::iota(m_parent.begin(), m_parent.end(), size_t{0}); }
    size_t find(size_t i) {
        while (m_parent[i] != i)
            i = m_parent[i] = m_parent[m_parent[i]];
        return i;
    }
    void join(size_t a, size_t b) { m_parent[find(a)] = find(b); }

private:
    std::vector<size_t> m_parent;
};

Groups nearDuplicateGroups(const std::vector<Document>& documents) {
    size_t total = 0;
    for (const Document& document : documents)
        total += document.bytes.size();
    const uint64_t keepOneIn = std::max<uint64_t>(8, total / 1'000'000);
    std::map<uint64_t, std::vector<size_t>> holders;
    std::vector<size_t> sizes;
    for (size_t i = 0; i < documents.size(); ++i) {
        const auto shingles = sampledShingles(documents[i].bytes, keepOneIn);
        sizes.push_back(shingles.size());
        for (const uint64_t hash : shingles)
            holders[hash].push_back(i);
    }
    std::map<std::pair<size_t, size_t>, size_t> shared;
    for (const auto& [hash, documentsWithIt] : holders) {
        if (documentsWithIt.size() > 64) continue;  // a phrase that stands everywhere says nothing
        for (size_t a = 0; a < documentsWithIt.size(); ++a) {
            for (size_t b = a + 1; b < documentsWithIt.size(); ++b)
                ++shared[{documentsWithIt[a], documentsWithIt[b]}];
        }
    }
    Groups groups(documents.size());
    for (const auto& [pair, count] : shared) {
        if (2 * count >= std::min(sizes[pair.first], sizes[pair.second])) groups.join(pair.first, pair.second);
    }
    return groups;
}

void dropEqualAndEmpty(std::vector<Document>& documents) {
    std::set<std::vector<uint8_t>> seen;
    std::erase_if(documents, [&](const Document& document) {
        return document.bytes.empty() || !seen.insert(document.bytes).second;
    });
}

/// Indices of the documents to hold out; empty when no group is small enough.
std::set<size_t> chooseHeldOut(const std::vector<Document>& documents) {
    Groups groups = nearDuplicateGroups(documents);
    struct Group {
        uint64_t order = 0;
        size_t bytes = 0;
        std::vector<size_t> members;
    };
    std::map<size_t, Group> byRoot;
    size_t total = 0;
    for (size_t i = 0; i < documents.size(); ++i) {
        Group& group = byRoot[groups.find(i)];
        group.order ^= mixed(fnv1a(documents[i].bytes));
        group.bytes += documents[i].bytes.size();
        group.members.push_back(i);
        total += documents[i].bytes.size();
    }
    std::vector<Group> ordered;
    for (auto& [root, group] : byRoot)
        ordered.push_back(std::move(group));
    std::sort(ordered.begin(), ordered.end(), [](const Group& a, const Group& b) { return a.order < b.order; });
    std::set<size_t> heldOut;
    size_t bytes = 0;
    for (const Group& group : ordered) {
        if (static_cast<double>(bytes) >= kHeldOutShare * static_cast<double>(total)) break;
        if (static_cast<double>(bytes + group.bytes) > kLargestHeldOutShare * static_cast<double>(total)) continue;
        heldOut.insert(group.members.begin(), group.members.end());
        bytes += group.bytes;
    }
    return heldOut;
}

void append(std::vector<uint8_t>& to, std::span<const uint8_t> bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
}

Result<std::vector<Document>> readDocuments(const fs::path& path) {
    std::error_code failure;
    std::vector<fs::path> files;
    if (fs::is_directory(path, failure)) {
        fs::recursive_directory_iterator walk(path, failure), end;
        for (; !failure && walk != end; walk.increment(failure)) {
            if (walk->is_regular_file(failure)) files.push_back(walk->path());
        }
        if (failure) {
            return Error{ErrorCode::Unreadable,
                         fmt::format("Cannot read the folder {}: {}.", path.string(), failure.message()),
                         "Check the rights of the folder."};
        }
        std::sort(files.begin(), files.end());
    } else {
        files.push_back(path);
    }
    std::vector<Document> documents;
    for (const fs::path& file : files) {
        auto bytes = readFile(file);
        if (!bytes.ok()) return bytes.error();
        documents.push_back({file.string(), {bytes->begin(), bytes->end()}});
    }
    return documents;
}

Result<Corpus> textCorpus(const fs::path& path) {
    auto documents = readDocuments(path);
    if (!documents.ok()) return documents.error();
    Corpus corpus = splitDocuments(std::move(*documents));
    if (corpus.training.empty()) {
        return Error{ErrorCode::Usage, fmt::format("Expected text to train on, but {} holds no bytes.", path.string()),
                     "Name a file or a folder with text, or use --data sample."};
    }
    return corpus;
}

Corpus syntheticCorpus(uint64_t seed, int64_t vocab) {
    const MarkovText text = makeMarkovText(seed, vocab);
    Corpus corpus;
    const size_t training = text.bytes.size() * 9 / 10;
    append(corpus.training, std::span(text.bytes).first(training));
    append(corpus.heldOut, std::span(text.bytes).subspan(training));
    corpus.entropyFloor = text.entropy;
    corpus.description =
        fmt::format("synthetic text (order-2 Markov chain, seed {}), {} bytes, entropy {:.4f} nats a byte", seed,
                    groupedDigits(static_cast<long long>(text.bytes.size())), text.entropy);
    return corpus;
}

Result<Corpus> corpusFor(const std::string& spec, int64_t vocab) {
    if (spec == "sample") {
        auto corpus = textCorpus(kSampleFolder);
        if (corpus.ok() && corpus->training.size() >= kSmallestSample) {
            corpus->description = "licence texts of this machine: " + corpus->description;
            return corpus;
        }
        return syntheticCorpus(1, vocab);
    }
    if (spec.starts_with("text:")) return textCorpus(spec.substr(5));
    if (spec.starts_with("synthetic:")) {
        const auto seed = parseInteger(spec.substr(10));
        if (seed && *seed >= 0) return syntheticCorpus(static_cast<uint64_t>(*seed), vocab);
        return Error{ErrorCode::Usage,
                     fmt::format("Expected a whole number after synthetic:, found \"{}\".", spec.substr(10)),
                     "For example --data synthetic:1."};
    }
    return Error{ErrorCode::Usage,
                 fmt::format("Expected data as text:PATH, synthetic:SEED or sample, found \"{}\".", spec),
                 fs::exists(spec) ? fmt::format("Did you mean text:{}?", spec) : "For example --data sample."};
}

Result<void> checkNeeds(const Corpus& corpus, const std::string& spec, const CorpusNeeds& needs) {
    const int64_t batchBytes = needs.batch * needs.bytesPerSequence;
    const auto training = static_cast<int64_t>(corpus.training.size());
    if (training < batchBytes || static_cast<int64_t>(corpus.heldOut.size()) < needs.bytesPerSequence) {
        return Error{
            ErrorCode::Usage,
            fmt::format("Expected at least one batch of {} bytes ({} sequences of {}) to train on and {} held out, "
                        "but {} gives {} and {}.",
                        batchBytes, needs.batch, needs.bytesPerSequence, needs.bytesPerSequence, spec, training,
                        corpus.heldOut.size()),
            "Use more text, a smaller --batch or a smaller ctx."};
    }
    const uint8_t largest = std::max(*std::max_element(corpus.training.begin(), corpus.training.end()),
                                     *std::max_element(corpus.heldOut.begin(), corpus.heldOut.end()));
    if (largest >= needs.vocab) {
        return Error{ErrorCode::Usage,
                     fmt::format("The text holds byte {}, but the model's vocab is {}.", largest, needs.vocab),
                     "Use vocab=256, which covers every byte."};
    }
    return {};
}

}  // namespace

double unigramEntropy(const std::vector<uint8_t>& bytes) {
    std::array<double, 256> counts{};
    for (const uint8_t byte : bytes)
        ++counts[byte];
    double entropy = 0;
    for (const double count : counts) {
        if (count > 0) entropy -= count * std::log(count / static_cast<double>(bytes.size()));
    }
    return bytes.empty() ? 0.0 : entropy / static_cast<double>(bytes.size());
}

Corpus splitDocuments(std::vector<Document> documents) {
    const size_t found = documents.size();
    dropEqualAndEmpty(documents);
    const std::set<size_t> heldOut = chooseHeldOut(documents);
    Corpus corpus;
    for (size_t i = 0; i < documents.size(); ++i) {
        const std::span<const uint8_t> bytes = documents[i].bytes;
        if (heldOut.contains(i)) {
            append(corpus.heldOut, bytes);
            corpus.heldOutNames.push_back(documents[i].name);
        } else {
            const size_t kept = heldOut.empty() ? bytes.size() - bytes.size() / 10 : bytes.size();
            append(corpus.training, bytes.first(kept));
            append(corpus.heldOut, bytes.subspan(kept));
        }
    }
    const size_t total = corpus.training.size() + corpus.heldOut.size();
    corpus.description =
        fmt::format("{} files ({} empty or equal to another), {} bytes, {:.1f} % held out", found,
                    found - documents.size(), groupedDigits(static_cast<long long>(total)),
                    total == 0 ? 0.0 : 100.0 * static_cast<double>(corpus.heldOut.size()) / static_cast<double>(total));
    return corpus;
}

Result<Corpus> loadCorpus(const std::string& spec, const CorpusNeeds& needs) {
    auto corpus = corpusFor(spec, needs.vocab);
    if (!corpus.ok()) return corpus;
    if (auto fits = checkNeeds(*corpus, spec, needs); !fits.ok()) return fits.error();
    corpus->unigramEntropy = unigramEntropy(corpus->training);
    corpus->hash = fnv1a(corpus->heldOut, fnv1a(corpus->training));
    return corpus;
}

}  // namespace octet::train
