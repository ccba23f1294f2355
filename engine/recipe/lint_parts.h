// SPDX-License-Identifier: Apache-2.0
// The linter's part of each form.
#pragma once

#include <span>

#include "engine/recipe/lint.h"

namespace octet::recipe {

/// Collects findings; the fix of a value or of a key replaces just its bytes.
class Findings {
public:
    explicit Findings(std::string_view text) : m_text(text) {}

    LintFinding& add(Severity severity, const TextPlace& place, std::string message, std::string hint = {});
    LintFinding& error(const MarkedValue& at, std::string message, std::string hint = {});
    LintFinding& warning(const MarkedValue& at, std::string message, std::string hint = {});
    /// Replaces the bytes of `at` (a scalar in one line).
    void fix(LintFinding& finding, const MarkedValue& at, const std::string& replacement);
    /// Puts a line "key: value" before the line of `at`, indented as it is.
    void insertBefore(LintFinding& finding, const MarkedValue& at, const std::string& line);

    [[nodiscard]] std::string written(const MarkedValue& at) const;
    [[nodiscard]] std::string_view text() const { return m_text; }
    [[nodiscard]] std::vector<LintFinding> take() { return std::move(m_findings); }

private:
    std::string_view m_text;
    std::vector<LintFinding> m_findings;
};

void lintAccelerate(const MarkedValue& file, const std::string& what, Target target, Findings& findings,
                    std::optional<Recipe>& recipe);
void lintInspect(const MarkedValue& file, const Target& target, Findings& findings);
void lintOctet(const MarkedValue& file, const std::string& what, Findings& findings, std::optional<Recipe>& recipe);
void lintKwargs(const MarkedValue& file, const std::string& what, const Target& target, Findings& findings,
                std::optional<Recipe>& recipe);

/// Keys and values inside fp8_config. @param backend  in capitals, "" when the file names none
void lintFp8Values(const MarkedValue& section, const std::string& backend, Findings& findings);
[[nodiscard]] bool isFp8Key(const std::string& key);
/// The value of a live key under either of its spellings: margin, fp8_margin.
[[nodiscard]] const MarkedValue* fp8Item(const MarkedValue& section, const std::string& name);
/// In capitals; "ms-amp" is MSAMP.
[[nodiscard]] std::string fp8Upper(std::string text);

/// " Did you mean "x"?" or nothing.
[[nodiscard]] std::string didYouMean(const std::string& word, const std::vector<std::string>& known);

}  // namespace octet::recipe
