// SPDX-License-Identifier: Apache-2.0
// Keys and values of fp8_config in Accelerate's launch config: dead keys, unknown keys, and values that Accelerate
// stops on. It checks none of them when it reads the file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/text.h"
#include "engine/recipe/accelerate_python.h"
#include "engine/recipe/lint_parts.h"
#include "engine/recipe/schema.h"

namespace octet::recipe {
namespace {

using Kind = MarkedValue::Kind;

enum class Value { Backend, Truth, Integer, Format, Algo, Override, OptLevel };

struct ConfigKey {
    const char* name;  // as it works inside fp8_config
    Value value;
    const char* backend;  // who reads it; "": Accelerate itself
};
constexpr ConfigKey kKeys[] = {
    {"backend", Value::Backend, ""},
    {"use_autocast_during_eval", Value::Truth, "TE"},
    {"margin", Value::Integer, "TE"},
    {"interval", Value::Integer, "TE"},
    {"fp8_format", Value::Format, "TE"},
    {"format", Value::Format, "TE"},
    {"amax_history_len", Value::Integer, "TE"},
    {"amax_compute_algo", Value::Algo, "TE"},
    {"override_linear_precision", Value::Override, "TE"},
    {"use_mxfp8_block_scaling", Value::Truth, "TE"},
    {"opt_level", Value::OptLevel, "MSAMP"},
    {"pad_inner_dim", Value::Truth, "AO"},
    {"enable_fsdp_float8_all_gather", Value::Truth, "AO"},
};

/// What `accelerate config` writes and nobody reads.
constexpr std::pair<const char*, const char*> kDeadKeys[] = {{"amax_history_length", "amax_history_len"},
                                                             {"amax_compute_algorithm", "amax_compute_algo"},
                                                             {"optimization_level", "opt_level"}};

/// "fp8_margin" works like "margin".
std::string shortName(const std::string& key) {
    return key.starts_with("fp8_") && key != "fp8_format" ? key.substr(4) : key;
}

const ConfigKey* knownKey(const std::string& key) {
    const auto* found = std::ranges::find(kKeys, shortName(key), &ConfigKey::name);
    return found == std::end(kKeys) ? nullptr : found;
}

std::vector<std::string> keyNames() {
    std::vector<std::string> names;
    for (const ConfigKey& key : kKeys)
        names.emplace_back(key.name);
    return names;
}

/// The whole number that was meant by 1e3, 1.0e+3 or 1024.0.
std::optional<int64_t> meantInteger(const MarkedValue& value) {
    const auto number = parseNumber(value.text);
    if (!number || std::abs(*number) > 1e15 || std::floor(*number) != *number) return std::nullopt;
    return static_cast<int64_t>(*number);
}

/// Three truth values out of "(false, false, true)" or "true,false,true".
std::optional<std::string> meantOverride(const MarkedValue& value) {
    if (value.kind == Kind::Boolean && !value.value.get<bool>()) return "[false, false, false]";
    std::string inner = trimmed(value.text);
    if (inner.size() > 1 && std::string_view("([").find(inner.front()) != std::string_view::npos)
        inner = inner.substr(1, inner.size() - 2);
    std::string list;
    const auto parts = split(inner, ',');
    if (parts.size() != 3) return std::nullopt;
    for (const std::string& part : parts) {
        const auto truth = truthOf(trimmed(part));
        if (!truth) return std::nullopt;
        list += (list.empty() ? "" : ", ") + std::string(*truth ? "true" : "false");
    }
    return "[" + list + "]";
}

class Fp8Values {
public:
    Fp8Values(const MarkedValue& section, std::string backend, Findings& findings)
        : m_section(section),
          m_backend(std::move(backend)),
          m_findings(findings),
          m_json(looksLikeJson(findings.text())) {}

    void run() {
        for (size_t i = 0; i < m_section.keys.size(); ++i)
            checkKey(m_section.keys[i], m_section.items[i]);
    }

private:
    [[nodiscard]] std::string quoted(const std::string& text) const { return "\"" + text + "\""; }
    [[nodiscard]] std::string plain(const std::string& text) const { return m_json ? quoted(text) : text; }

    void checkKey(const MarkedValue& key, const MarkedValue& value) {
        for (const auto& [dead, live] : kDeadKeys) {
            if (shortName(key.text) == dead) return checkDeadKey(key, value, live);
        }
        const ConfigKey* known = knownKey(key.text);
        if (!known) {
            m_findings.warning(key, fmt::format("{} has no effect: nobody reads this key of fp8_config.", key.text),
                               didYouMean(key.text, keyNames()));
            return;
        }
        const bool others = *known->backend && !m_backend.empty() && m_backend != known->backend && m_backend != "NO";
        if (others) {
            m_findings.add(Severity::Warning, key.place,
                           fmt::format("{} has no effect: only backend {} reads it, and backend is {}.", key.text,
                                       known->backend, m_backend));
            return;
        }
        if (value.kind == Kind::Null) return;  // counts as not set
        checkValue(*known, value);
    }

    void checkDeadKey(const MarkedValue& key, const MarkedValue& value, const char* live) {
        LintFinding& finding = m_findings.warning(
            key,
            fmt::format("{} has no effect: nobody reads this key, although accelerate config writes it.", key.text),
            fmt::format("Write {}.", live));
        if (fp8Item(m_section, live)) {
            finding.hint = fmt::format("{} is there too and counts; remove this line.", live);
        } else {
            m_findings.fix(finding, key, m_json ? quoted(live) : live);
            // Under its right name the value counts, so it has to be one.
            if (value.kind != Kind::Null) checkValue(*knownKey(live), value);
        }
    }

    void checkValue(const ConfigKey& key, const MarkedValue& value) {
        switch (key.value) {
            case Value::Backend:
                return checkBackend(value);
            case Value::Truth:
                return checkTruth(key, value);
            case Value::Integer:
                return checkInteger(key, value);
            case Value::Format:
                return checkWord(key, value, {"HYBRID", "E4M3"});
            case Value::Algo:
                return checkWord(key, value, {"max", "most_recent"});
            case Value::Override:
                return checkOverride(value);
            case Value::OptLevel:
                return checkOptLevel(value);
        }
    }

    void checkBackend(const MarkedValue& value) {
        static constexpr std::array known{"TE", "AO", "MSAMP", "NO"};
        const std::string meant = fp8Upper(value.text);
        const bool isKnown = std::ranges::any_of(known, [&](const char* word) { return meant == word; });
        if (value.kind == Kind::Text && value.text == meant && isKnown) {
            if (meant == "MSAMP") {
                m_findings.warning(value, "MS-AMP is unmaintained since 2023 and deprecated in Accelerate 1.13.",
                                   "Use backend TE or AO.");
            }
            return;
        }
        LintFinding& finding = m_findings.error(
            value,
            fmt::format("Accelerate does not know the FP8 backend {}: it must be TE, AO or MSAMP in capital "
                        "letters.",
                        value.text),
            isKnown ? fmt::format("Write {}.", meant == "NO" ? "\"NO\"" : meant) : "");
        if (isKnown) m_findings.fix(finding, value, meant == "NO" ? quoted(meant) : plain(meant));
    }

    void checkTruth(const ConfigKey& key, const MarkedValue& value) {
        if (truthOf(value.text)) return;
        m_findings.error(
            value,
            fmt::format("{}: invalid truth value {}; Accelerate stops on it.", key.name, m_findings.written(value)),
            "Write true or false.");
    }

    void checkInteger(const ConfigKey& key, const MarkedValue& value) {
        const std::string text = pythonText(value.value);
        const auto number = pythonInt(text);
        if (!number) {
            const auto meant = meantInteger(value);
            const std::string kind = value.kind == Kind::Text ? "is text in YAML 1.1" : "is no whole number";
            LintFinding& finding = m_findings.error(
                value, fmt::format("{}: {} {}, and Accelerate stops on int('{}').", key.name, value.text, kind, text),
                meant ? fmt::format("Write {}.", *meant) : "Write a whole number.");
            if (meant) m_findings.fix(finding, value, std::to_string(*meant));
            return;
        }
        const std::string field = "te." + std::string(key.name);
        const RecipeField& schema = recipeField(field);
        const auto checked = checkField(schema, FieldValue(*number), "");
        if (!checked) {
            m_findings.error(value,
                             fmt::format("{} {} makes no sense: expected {}. Accelerate and Transformer Engine pass it "
                                         "on unchecked.",
                                         key.name, *number, expectedText(schema)));
        } else if (const auto warning = fieldWarning(schema, FieldValue(*number))) {
            m_findings.warning(value, fmt::format("{} {}: {}", key.name, *number, schema.warning));
        }
    }

    void checkWord(const ConfigKey& key, const MarkedValue& value, const std::vector<std::string>& words) {
        const auto same = [&](const std::string& word) { return fp8Upper(word) == fp8Upper(value.text); };
        if (std::ranges::any_of(words, same)) return;
        if (key.value == Value::Format && fp8Upper(value.text) == "E5M2") {
            m_findings.error(value, "Transformer Engine refuses fp8_format E5M2: pure E5M2 training is not supported.",
                             "Use HYBRID (E5M2 for gradients only) or E4M3.");
            return;
        }
        m_findings.error(value, fmt::format("Accelerate refuses {} {}.", key.name, value.text),
                         fmt::format("Write {}.", fmt::join(words, " or ")));
    }

    void checkOverride(const MarkedValue& value) {
        const bool isList = value.kind == Kind::List;
        const bool truths = isList && std::ranges::all_of(value.items, [](const MarkedValue& one) {
                                return truthOf(one.text).has_value();
                            });
        if (isList && truths && value.items.size() == 3) return;
        const char* hint = "Write a list of three: [false, false, false] for fprop, dgrad, wgrad.";
        if (isList) {
            m_findings.error(
                value, fmt::format("override_linear_precision needs three truth values, found {}.", value.items.size()),
                hint);
            return;
        }
        const std::string what = value.kind == Kind::Boolean
                                     ? "is a single value, and Accelerate takes three out of it"
                                     : fmt::format(
                                           "is text, and accelerate launch takes its characters one by one: "
                                           "invalid truth value ({})",
                                           value.text.empty() ? "" : value.text.substr(0, 1));
        LintFinding& finding =
            m_findings.error(value, fmt::format("override_linear_precision {} {}.", value.text, what), hint);
        if (const auto meant = meantOverride(value)) m_findings.fix(finding, value, *meant);
    }

    void checkOptLevel(const MarkedValue& value) {
        if (value.text == "O1" || value.text == "O2") return;
        const std::string meant = fp8Upper(value.text);
        const bool known = meant == "O1" || meant == "O2";
        LintFinding& finding = m_findings.error(value, fmt::format("Accelerate refuses opt_level {}.", value.text),
                                                known ? fmt::format("Write {}.", meant) : "Write O1 or O2.");
        if (known) m_findings.fix(finding, value, plain(meant));
    }

    const MarkedValue& m_section;
    std::string m_backend;  // in capitals
    Findings& m_findings;
    bool m_json;
};

}  // namespace

std::string fp8Upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text == "MS-AMP" ? "MSAMP" : text;
}

const MarkedValue* fp8Item(const MarkedValue& section, const std::string& name) {
    const MarkedValue* value = section.find(name);
    return value ? value : section.find("fp8_" + name);
}

bool isFp8Key(const std::string& key) {
    return knownKey(key) != nullptr;
}

void lintFp8Values(const MarkedValue& section, const std::string& backend, Findings& findings) {
    Fp8Values(section, backend, findings).run();
}

}  // namespace octet::recipe
