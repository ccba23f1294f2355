// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/core/text.h"
#include "engine/recipe/lint_parts.h"
#include "engine/recipe/schema.h"

namespace octet::recipe {
namespace {

/// All dotted paths of a tree with the key that each ends in.
void collectPaths(const MarkedValue& map, const std::string& prefix,
                  std::vector<std::pair<std::string, const MarkedValue*>>& paths) {
    for (size_t i = 0; i < map.keys.size(); ++i) {
        const std::string path = prefix + map.keys[i].text;
        paths.emplace_back(path, &map.keys[i]);
        collectPaths(map.items[i], path + ".", paths);
    }
    if (map.kind != MarkedValue::Kind::List) return;
    const std::string list = prefix.empty() ? prefix : prefix.substr(0, prefix.size() - 1);
    for (size_t i = 0; i < map.items.size(); ++i)
        collectPaths(map.items[i], fmt::format("{}[{}].", list, i), paths);
}

bool isWordAt(const std::string& text, size_t at, size_t length) {
    const auto partOfWord = [&](size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
    };
    return !(at > 0 && (partOfWord(at - 1) || text[at - 1] == '.')) && !partOfWord(at + length);
}

/// The key that a message is about: the longest path that stands in it.
const MarkedValue* keyNamedIn(std::string message, const MarkedValue& file) {
    // "layers.rules[0]: keep: ..." names layers.rules[0].keep.
    if (const size_t item = message.find("]: "); item != std::string::npos) message.replace(item, 3, "].");
    std::vector<std::pair<std::string, const MarkedValue*>> paths;
    collectPaths(file, "", paths);
    const MarkedValue* best = nullptr;
    size_t length = 0;
    for (const auto& [path, key] : paths) {
        const size_t at = message.find(path);
        if (at == std::string::npos || path.size() <= length || !isWordAt(message, at, path.size())) continue;
        best = key;
        length = path.size();
    }
    return best;
}

std::string withoutPrefix(const std::string& message, const std::string& what) {
    const std::string start = what + ": ";
    return message.starts_with(start) ? message.substr(start.size()) : message;
}

/// "Did you mean "te.margin"?" -> the last part of what was meant.
std::optional<std::string> meantKey(const std::string& hint) {
    const size_t from = hint.find("Did you mean \"");
    if (from == std::string::npos) return std::nullopt;
    const size_t start = from + 14, end = hint.find('"', start);
    const std::string path = hint.substr(start, end - start);
    return path.substr(path.rfind('.') + 1);
}

/// What the target makes of a recipe, at the keys that ask for it.
void addEffective(const MarkedValue& file, const Recipe& recipe, Findings& findings) {
    const EffectiveRecipe effective = effectiveRecipe(recipe);
    const bool documented = recipe.semantics == Semantics::Documented;
    for (const EffectiveField& field : effective.fields) {
        if (field.severity == Severity::Info) continue;
        const MarkedValue* key = keyNamedIn(field.key, file);
        const std::string name = field.key.substr(field.key.find('.') + 1);
        const std::string lost = noEffectSentence(field);
        const std::string sentence = lost.empty() ? fmt::format("{} {}: {}.", name, field.asked, field.reason) : lost;
        // What the page says trains in Octet whatever the library refuses.
        findings.add(documented ? Severity::Warning : field.severity, key ? key->place : TextPlace{},
                     documented ? "In the library: " + sentence : sentence);
    }
    for (const TargetReport& report : effective.reports)
        findings.add(Severity::Warning, {}, report.sentence);  // what the target lacks never keeps Octet from training
    const bool told = std::ranges::any_of(effective.fields,
                                          [](const EffectiveField& field) { return field.fate == FieldFate::Refused; });
    if (effective.refusal && !told && !documented)
        findings.add(Severity::Error, {}, effective.refusal->message, effective.refusal->hint);
}

}  // namespace

bool LintReport::hasErrors() const {
    return std::ranges::any_of(findings, [](const LintFinding& one) { return one.severity == Severity::Error; });
}

int LintReport::fixes() const {
    return static_cast<int>(
        std::ranges::count_if(findings, [](const LintFinding& one) { return one.fix.has_value(); }));
}

LintFinding& Findings::add(Severity severity, const TextPlace& place, std::string message, std::string hint) {
    m_findings.push_back({severity, place, std::move(message), std::move(hint), std::nullopt});
    return m_findings.back();
}

LintFinding& Findings::error(const MarkedValue& at, std::string message, std::string hint) {
    return add(Severity::Error, at.place, std::move(message), std::move(hint));
}

LintFinding& Findings::warning(const MarkedValue& at, std::string message, std::string hint) {
    return add(Severity::Warning, at.place, std::move(message), std::move(hint));
}

void Findings::fix(LintFinding& finding, const MarkedValue& at, const std::string& replacement) {
    const std::string before = written(at);
    if (before.find('\n') != std::string::npos) return;
    finding.fix =
        TextFix{at.place.offset, at.place.end, replacement,
                fmt::format("line {}: {} becomes {}", at.place.line, before.empty() ? "nothing" : before, replacement)};
}

void Findings::insertBefore(LintFinding& finding, const MarkedValue& at, const std::string& line) {
    const size_t newline = m_text.rfind('\n', at.place.offset);
    size_t start = at.place.offset == 0 || newline == std::string_view::npos ? 0 : newline + 1;
    if (start == 0 && m_text.starts_with("\xEF\xBB\xBF")) start = 3;
    const std::string_view indent = m_text.substr(start, at.place.offset - start);
    if (indent.find_first_not_of(' ') != std::string_view::npos) return;  // JSON or a flow map on one line
    const bool crlf = m_text.find("\r\n") != std::string_view::npos;
    finding.fix = TextFix{start, start, fmt::format("{}{}{}", indent, line, crlf ? "\r\n" : "\n"),
                          fmt::format("before line {}: {} is added", at.place.line, line)};
}

std::string Findings::written(const MarkedValue& at) const {
    return std::string(m_text.substr(at.place.offset, at.place.end - at.place.offset));
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& known) {
    const auto nearest = nearestWord(word, known);
    return nearest ? fmt::format("Did you mean {}?", *nearest) : "";
}

void lintOctet(const MarkedValue& file, const std::string& what, Findings& findings, std::optional<Recipe>& recipe) {
    const auto loaded = recipeFromJson(file.json(), what);
    if (!loaded) {
        const Error& error = loaded.error();
        const std::string message = withoutPrefix(error.message, what);
        const MarkedValue* key = keyNamedIn(message, file);
        LintFinding& finding = findings.add(Severity::Error, key ? key->place : TextPlace{}, message, error.hint);
        const auto meant = meantKey(error.hint);
        if (key && meant && message.find("unknown key") != std::string::npos)
            findings.fix(finding, *key, fmt::format("\"{}\"", *meant));
        return;
    }
    recipe = loaded->recipe;
    for (const std::string& warning : loaded->warnings) {
        const MarkedValue* key = keyNamedIn(warning, file);
        findings.add(Severity::Warning, key ? key->place : TextPlace{}, warning);
    }
    addEffective(file, *recipe, findings);
}

void lintKwargs(const MarkedValue& file, const std::string& what, const Target& target, Findings& findings,
                std::optional<Recipe>& recipe) {
    const auto imported = importRecipe(findings.text(), what);
    if (!imported) {
        const std::string message = withoutPrefix(imported.error().message, what);
        const MarkedValue* key = nullptr;
        for (const MarkedValue& one : file.keys) {
            if (message.find(one.text) != std::string::npos) key = &one;
        }
        findings.add(Severity::Error, key ? key->place : TextPlace{}, message, imported.error().hint);
        return;
    }
    recipe = imported->recipe;
    const std::string parallel = recipe->target.parallel;
    recipe->target = target;
    const EffectiveRecipe effective = effectiveRecipe(*recipe);
    for (const EffectiveField& field : effective.fields) {
        const MarkedValue* key = file.keyOf(field.key.substr(field.key.find('.') + 1));
        if (!key || field.severity == Severity::Info) continue;
        const std::string lost = noEffectSentence(field);
        findings.add(field.severity, key->place,
                     lost.empty() ? fmt::format("{} {}: {}.", key->text, field.asked, field.reason) : lost);
    }
}

LintReport lintText(std::string_view text, const std::string& what, const Target& target) {
    LintReport report;
    Findings findings(text);
    TextPlace problem;
    if (text.find("# octet-recipe: ") != std::string_view::npos) {
        report.form = RecipeForm::WrittenByOctet;
        auto loaded = importRecipe(text, what);
        if (loaded)
            report.recipe = loaded->recipe;
        else
            findings.add(Severity::Error, {}, loaded.error().message, loaded.error().hint);
        report.findings = findings.take();
        return report;
    }
    const auto parsed = parseRecipeText(text, what, &problem);
    if (!parsed) {
        findings.add(Severity::Error, problem, parsed.error().message, parsed.error().hint);
        report.findings = findings.take();
        return report;
    }
    report.form = formOf(text, *parsed);
    switch (report.form) {
        case RecipeForm::OctetJson:
            lintOctet(*parsed, what, findings, report.recipe);
            break;
        case RecipeForm::AccelerateConfig:
            lintAccelerate(*parsed, what, target, findings, report.recipe);
            break;
        case RecipeForm::AccelerateKwargs:
            lintKwargs(*parsed, what, target, findings, report.recipe);
            break;
        case RecipeForm::Inspect:
            lintInspect(*parsed, target, findings);
            break;
        case RecipeForm::WrittenByOctet:
        case RecipeForm::Unknown:
            findings.add(
                Severity::Error, {},
                fmt::format("{} is no recipe: expected an Octet recipe (\"octet_recipe\"), an Accelerate config "
                            "(fp8_config) or an nvdlfw_inspect file.",
                            what));
            break;
    }
    report.findings = findings.take();
    std::ranges::stable_sort(report.findings, {}, [](const LintFinding& one) {
        return one.place.line == 0 ? size_t{0} - 1 : one.place.offset;
    });
    return report;
}

std::string repairedText(std::string_view text, const std::vector<LintFinding>& findings) {
    std::vector<TextFix> fixes;
    for (const LintFinding& finding : findings) {
        if (finding.fix) fixes.push_back(*finding.fix);
    }
    std::ranges::stable_sort(fixes, {}, &TextFix::offset);
    std::string repaired;
    size_t at = 0;
    for (const TextFix& fix : fixes) {
        if (fix.offset < at) continue;  // two findings about the same bytes
        repaired += text.substr(at, fix.offset - at);
        repaired += fix.replacement;
        at = fix.end;
    }
    return repaired + std::string(text.substr(at));
}

const char* formName(RecipeForm form) {
    static constexpr std::array names{"unknown",           "Octet recipe",        "Accelerate config",
                                      "Accelerate kwargs", "nvdlfw_inspect file", "file written by Octet"};
    return names[static_cast<size_t>(form)];
}

}  // namespace octet::recipe
