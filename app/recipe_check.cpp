// SPDX-License-Identifier: Apache-2.0
#include "app/recipe_check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/context.h"
#include "app/target_options.h"
#include "engine/core/encoding.h"
#include "engine/core/files.h"
#include "engine/core/yaml.h"
#include "engine/recipe/lint.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/run_spec.h"
#include "engine/recipe/training_plan.h"

namespace octet::app {
namespace {

using recipe::LintFinding;
using recipe::LintReport;

constexpr CommandText kText{
    "check", "Check a recipe file: traps with line and column, and whether it can train",
    "Reads Octet recipes, Accelerate configs (YAML or JSON), recipe arguments as JSON, and nvdlfw_inspect YAML. --fix "
    "rewrites the values that are wrong without doubt and leaves every other byte alone. The exit code is 2 when an "
    "error "
    "remains.",
    "octet-engine recipe check my-recipe.octet.json\n"
    "octet-engine recipe check default_config.yaml --capability 10.0\n"
    "octet-engine recipe check default_config.yaml --fix --out repaired.yaml\n"
    "octet-engine recipe check preset:hybrid-16 --json"};

struct CheckOptions {
    std::string recipe;
    bool fix = false;
    std::string out;
    std::string encoding;
    TargetOptions target;
};

/// The notes of a plan depend on layers; the default model stands in for the user's.
Result<recipe::TrainingPlan> planOnDefaultModel(const recipe::Recipe& recipe) {
    const auto model = arch::parseModelSpec(recipe::RunSpec{}.model);
    if (!model) return model.error();
    return recipe::planTraining(recipe, arch::listModules(*model));
}

Result<void> checkPreset(const Context& context, const std::string& reference) {
    const auto loaded = recipe::loadRecipe(reference);
    if (!loaded) return loaded.error();
    const auto plan = planOnDefaultModel(loaded->recipe);
    if (!plan) return plan.error();
    if (context.json) {
        printJson({{"valid", true},
                   {"name", loaded->recipe.name},
                   {"summary", recipe::recipeSummary(loaded->recipe)},
                   {"warnings", loaded->warnings},
                   {"notes", plan->notes},
                   {"findings", Json::array()},
                   {"recipe", recipe::recipeToJson(loaded->recipe)}});
        return {};
    }
    fmt::print("{}: valid. {}\n", loaded->recipe.name, recipe::recipeSummary(loaded->recipe));
    for (const std::string& note : plan->notes)
        fmt::print("  note: {}\n", note);
    return {};
}

std::string placeText(const std::string& path, const TextPlace& place) {
    return place.line == 0 ? path : fmt::format("{}:{}:{}", path, place.line, place.column);
}

Json findingJson(const LintFinding& finding) {
    return {{"line", finding.place.line},
            {"column", finding.place.column},
            {"severity", recipe::severityName(finding.severity)},
            {"message", finding.message},
            {"hint", finding.hint},
            {"fix", finding.fix ? Json(finding.fix->says) : Json()}};
}

/// What the errors come to, for standard error; the findings themselves are printed before.
Error errorsOf(const std::string& path, const LintReport& report) {
    std::vector<const LintFinding*> errors;
    for (const LintFinding& finding : report.findings) {
        if (finding.severity == recipe::Severity::Error) errors.push_back(&finding);
    }
    const int fixes = report.fixes();
    if (errors.size() == 1) {
        const LintFinding& one = *errors.front();
        const bool named = one.message.find(path) != std::string::npos;
        return {ErrorCode::Usage, named ? one.message : fmt::format("{}: {}", placeText(path, one.place), one.message),
                one.hint};
    }
    return {ErrorCode::Usage, fmt::format("{} has {} errors.", path, errors.size()),
            fixes > 0 ? fmt::format("--fix repairs {} of the findings.", fixes) : ""};
}

struct Repair {
    LintReport before, after;
    std::string written;  // path; empty: nothing was written
};

Json reportJson(const CheckOptions& options, const Repair& repair) {
    const LintReport& report = repair.after;
    Json findings = Json::array(), fixed = Json::array();
    for (const LintFinding& finding : report.findings)
        findings.push_back(findingJson(finding));
    if (!repair.written.empty()) {
        for (const LintFinding& finding : repair.before.findings) {
            if (finding.fix) fixed.push_back(finding.fix->says);
        }
    }
    Json json = {{"valid", !report.hasErrors()}, {"file", options.recipe}, {"form", recipe::formName(report.form)}};
    if (report.recipe) {
        const auto plan = planOnDefaultModel(*report.recipe);
        json["name"] = report.recipe->name;
        json["summary"] = recipe::recipeSummary(*report.recipe);
        json["notes"] = plan ? Json(plan->notes) : Json::array();
        json["recipe"] = recipe::recipeToJson(*report.recipe);
        json["effective"] = recipe::effectiveJson(*report.recipe, recipe::effectiveRecipe(*report.recipe), nullptr);
    }
    json["findings"] = findings;
    json["fixed"] = fixed;
    json["written"] = repair.written.empty() ? Json() : Json(repair.written);
    return json;
}

void printReport(const CheckOptions& options, const Repair& repair) {
    const LintReport& report = repair.after;
    if (!repair.written.empty()) {
        for (const LintFinding& finding : repair.before.findings) {
            if (finding.fix) fmt::print("fixed: {}\n", finding.fix->says);
        }
        fmt::print("Wrote {}.\n", repair.written);
    }
    for (const LintFinding& finding : report.findings) {
        fmt::print("{}: {}: {}{}{}\n", placeText(options.recipe, finding.place), recipe::severityName(finding.severity),
                   finding.message, finding.hint.empty() ? "" : " ", finding.hint);
    }
    const int fixes = report.fixes();
    if (fixes > 0 && !options.fix) fmt::print("--fix repairs {} of these.\n", fixes);
    if (report.hasErrors()) return;
    const bool clean = report.findings.empty();
    fmt::print("{}: valid {}{}", options.recipe, recipe::formName(report.form), clean ? "." : ", with warnings.");
    if (report.recipe) {
        const recipe::EffectiveRecipe effective = recipe::effectiveRecipe(*report.recipe);
        fmt::print(" {}.\n", recipe::recipeSummary(*report.recipe));
        if (!effective.runs.empty()) fmt::print("  on the target: {}\n", effective.runs);
        if (const auto plan = planOnDefaultModel(*report.recipe)) {
            for (const std::string& note : plan->notes)
                fmt::print("  note: {}\n", note);
        }
    } else {
        fmt::print("\n");
    }
}

Result<void> checkFile(Context& context, const CheckOptions& options) {
    recipe::Recipe aimed;
    if (auto applied = applyTarget(aimed, options.target); !applied) return applied;
    auto bytes = readFile(options.recipe, kYamlLimit);
    if (!bytes) return bytes.error();
    if (!options.encoding.empty()) {
        bytes = utf8From(*bytes, options.encoding, options.recipe);
        if (!bytes) return bytes.error();
    }
    const std::string what = "recipe file " + options.recipe;
    Repair repair;
    repair.before = recipe::lintText(*bytes, what, aimed.target);
    repair.after = repair.before;
    const bool writes = options.fix && (repair.before.fixes() > 0 || !options.out.empty());
    if (writes) {
        const std::string repaired = recipe::repairedText(*bytes, repair.before.findings);
        const std::string path = options.out.empty() ? options.recipe : options.out;
        if (auto written = writeFileAtomically(path, repaired); !written) return written.error();
        repair.written = path;
        repair.after = recipe::lintText(repaired, what, aimed.target);
    }
    const bool bad = repair.after.hasErrors();
    if (context.json && !bad) printJson(reportJson(options, repair));
    if (context.json && bad) {
        Json json = reportJson(options, repair);
        const Error error = errorsOf(options.recipe, repair.after);
        json["error"] = {{"code", errorCodeName(error.code)}, {"message", error.message}, {"hint", error.hint}};
        printJson(json);
        printNote(error.message);
        context.exitCode = exitCodeFor(error.code);
        return {};
    }
    if (!context.json) printReport(options, repair);
    if (!bad) return {};
    return errorsOf(options.recipe, repair.after);
}

Result<void> check(Context& context, const CheckOptions& options) {
    if (!options.fix && !options.out.empty())
        return Error{ErrorCode::Usage, "--out says where --fix writes; --fix is missing.", "Add --fix."};
    if (options.recipe.starts_with("preset:")) return checkPreset(context, options.recipe);
    return checkFile(context, options);
}

}  // namespace

void addRecipeCheck(CLI::App& group, Context& context) {
    const auto options = std::make_shared<CheckOptions>();
    CLI::App& command = addCommand(group, context, kText, [&context, options] { return check(context, *options); });
    command.add_option("recipe", options->recipe, "A recipe file or preset:NAME")->required()->type_name("FILE");
    command.add_flag("--fix", options->fix, "Repair what is wrong without doubt");
    command.add_option("--out", options->out, "Where --fix writes; the file itself when left out")->type_name("FILE");
    command.add_option("--encoding", options->encoding, "How the file is written, for example cp949")
        ->type_name("NAME");
    addTargetOptions(command, options->target);
}

}  // namespace octet::app
