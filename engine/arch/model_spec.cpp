// SPDX-License-Identifier: Apache-2.0
#include "engine/arch/model_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "engine/core/text.h"

namespace octet::arch {
namespace {

/// One `key=value` of a SPEC. The limits are far above what a machine of today trains; they catch slips of a digit.
struct Dimension {
    const char* key;
    int64_t ModelSpec::*member;
    int64_t most;
};

constexpr Dimension kTransformerDimensions[] = {
    {"d", &ModelSpec::d, 65'536},      {"layers", &ModelSpec::layers, 1'024},   {"heads", &ModelSpec::heads, 1'024},
    {"ctx", &ModelSpec::ctx, 131'072}, {"vocab", &ModelSpec::vocab, 1'048'576},
};
constexpr Dimension kMoeDimensions[] = {
    {"d", &ModelSpec::d, 65'536},        {"layers", &ModelSpec::layers, 1'024},
    {"heads", &ModelSpec::heads, 1'024}, {"experts", &ModelSpec::experts, 256},
    {"ctx", &ModelSpec::ctx, 131'072},   {"vocab", &ModelSpec::vocab, 1'048'576},
};
constexpr Dimension kMlpDimensions[] = {
    {"window", &ModelSpec::window, 8'192},   {"d", &ModelSpec::d, 8'192},
    {"hidden", &ModelSpec::hidden, 131'072}, {"layers", &ModelSpec::layers, 1'024},
    {"vocab", &ModelSpec::vocab, 1'048'576},
};

struct Kind {
    const char* name;
    ModelKind kind;
    std::span<const Dimension> dimensions;
};

constexpr Kind kKinds[] = {
    {"llama", ModelKind::Llama, kTransformerDimensions},
    {"gpt", ModelKind::Gpt, kTransformerDimensions},
    {"bert", ModelKind::Bert, kTransformerDimensions},
    {"moe", ModelKind::Moe, kMoeDimensions},
    {"mlp", ModelKind::Mlp, kMlpDimensions},
};

const Kind& kindOf(ModelKind kind) {
    return *std::ranges::find(kKinds, kind, &Kind::kind);
}

Error specError(const std::string& text, const std::string& problem, const std::string& hint) {
    return {ErrorCode::Usage, fmt::format("Model \"{}\": {}", text, problem), hint};
}

Error unknownWord(const std::string& text, const char* sort, const std::string& word,
                  const std::vector<std::string>& known) {
    const auto nearest = nearestWord(word, known);
    const std::string hint = nearest ? fmt::format("Did you mean \"{}\"?", *nearest) : std::string();
    return specError(text, fmt::format("unknown {} \"{}\"; known are {}.", sort, word, fmt::join(known, ", ")), hint);
}

ModelSpec defaultsOf(ModelKind kind) {
    ModelSpec spec;
    spec.kind = kind;
    if (kind == ModelKind::Mlp) {
        spec.d = 32;
        spec.layers = 2;
    }
    if (kind == ModelKind::Moe) spec.layers = 2;
    return spec;
}

Result<void> readDimension(const std::string& text, const Kind& kind, const std::string& part,
                           std::set<std::string>& seen, ModelSpec& spec) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) {
        return specError(text, fmt::format("expected key=value, found \"{}\".", part),
                         fmt::format("For example {}.", modelSpecText(defaultsOf(kind.kind))));
    }
    const std::string key = trimmed(part.substr(0, equals));
    const auto dimension = std::ranges::find_if(kind.dimensions, [&](const Dimension& d) { return d.key == key; });
    if (dimension == kind.dimensions.end()) {
        std::vector<std::string> known;
        for (const Dimension& d : kind.dimensions)
            known.emplace_back(d.key);
        return unknownWord(text, fmt::format("{} key", kind.name).c_str(), key, known);
    }
    if (!seen.insert(key).second)
        return specError(text, fmt::format("\"{}\" is given twice.", key), "Keep one of the two.");
    const std::string value = trimmed(part.substr(equals + 1));
    const auto number = parseInteger(value);
    if (!number || *number < 1 || *number > dimension->most) {
        return specError(text,
                         fmt::format("{} must be a whole number from 1 to {}, found \"{}\".", key,
                                     groupedDigits(dimension->most), value),
                         "");
    }
    spec.*(dimension->member) = *number;
    return {};
}

Result<void> checkHeads(const std::string& text, const ModelSpec& spec) {
    if (!spec.isTransformer()) return {};
    if (spec.kind == ModelKind::Moe && spec.experts < 2) {
        return specError(text, "experts is 1, but every token goes to two experts.", "Choose experts=2 or more.");
    }
    if (spec.d % spec.heads != 0) {
        return specError(text, fmt::format("d {} is not a multiple of heads {}.", spec.d, spec.heads),
                         fmt::format("Choose d as a multiple of heads, for example d={}.",
                                     (spec.d + spec.heads - 1) / spec.heads * spec.heads));
    }
    const bool rotates = spec.kind == ModelKind::Llama || spec.kind == ModelKind::Moe;
    if (rotates && spec.d / spec.heads % 2 != 0) {
        return specError(
            text,
            fmt::format("the head size d / heads = {} is odd, but rotary embeddings turn pairs.", spec.d / spec.heads),
            "Choose d and heads so that d / heads is even.");
    }
    return {};
}

}  // namespace

Result<ModelSpec> parseModelSpec(const std::string& text) {
    const std::string whole = trimmed(text);
    const size_t colon = whole.find(':');
    const std::string name = trimmed(whole.substr(0, colon));
    const auto kind = std::ranges::find_if(kKinds, [&](const Kind& k) { return k.name == name; });
    if (kind == std::end(kKinds)) {
        std::vector<std::string> known;
        for (const Kind& k : kKinds)
            known.emplace_back(k.name);
        return unknownWord(text, "kind", name, known);
    }
    ModelSpec spec = defaultsOf(kind->kind);
    std::set<std::string> seen;
    if (colon != std::string::npos) {
        for (const std::string& part : split(whole.substr(colon + 1), ',')) {
            if (auto read = readDimension(text, *kind, part, seen, spec); !read) return read.error();
        }
    }
    if (auto checked = checkHeads(text, spec); !checked) return checked.error();
    return spec;
}

std::string modelSpecText(const ModelSpec& spec) {
    const Kind& kind = kindOf(spec.kind);
    std::string text = kind.name;
    char separator = ':';
    for (const Dimension& dimension : kind.dimensions) {
        text += fmt::format("{}{}={}", separator, dimension.key, spec.*(dimension.member));
        separator = ',';
    }
    return text;
}

}  // namespace octet::arch
