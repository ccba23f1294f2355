// SPDX-License-Identifier: Apache-2.0
#include "app/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/layer_table.h"
#include "app/series_rows.h"
#include "app/store_access.h"
#include "app/table.h"
#include "app/terminal.h"

namespace octet::app {
namespace {

std::string plainText(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "fp8_format HYBRID, margin 0" of an object; anything else as it is.
std::string flatText(const Json& value) {
    if (value.is_array() && value.empty()) return "none";
    if (!value.is_object()) return plainText(value);
    std::string text;
    for (const auto& [key, inner] : value.items())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, flatText(inner));
    return text.empty() ? "none" : text;
}

constexpr int kKeyColumns = 21;  // two blanks, the key, a blank

/// A "key  value" line, wrapped under the value.
std::string keyLine(std::string_view key, const std::string& value) {
    const int width = std::max(textColumns() - kKeyColumns, 40);
    std::string lines = wrappedText(value, width, 0);
    for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1))
        lines.insert(at + 1, std::string(kKeyColumns, ' '));
    return fmt::format("  {:<{}} {}\n", key, kKeyColumns - 3, lines);
}

std::string keyLines(const Json& object) {
    std::string text;
    if (!object.is_object()) return text;
    for (const auto& [key, value] : object.items())
        text += keyLine(key, flatText(value));
    return text;
}

std::string gemmText(const Json& gemms, const char* gemm) {
    return gemms.is_object() && gemms.contains(gemm) ? plainText(gemms[gemm]) : "-";
}

std::vector<LayerLine> layerLines(const std::vector<store::LayerInfo>& layers) {
    std::vector<LayerLine> lines;
    for (const store::LayerInfo& layer : layers)
        lines.push_back(
            {layer.name,
             layer.outFeatures,
             layer.inFeatures,
             {gemmText(layer.gemms, "fprop"), gemmText(layer.gemms, "dgrad"), gemmText(layer.gemms, "wgrad")},
             layer.reason});
    return lines;
}

void addWord(std::vector<std::string>& words, const std::string& word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

/// Per cadence: the series of the run itself by name, those of layers as counts and words.
std::string seriesLines(const std::vector<store::SeriesInfo>& series) {
    struct Words {
        std::vector<std::string> plain, layers, operands, statistics;
    };
    std::map<std::string, Words> cadences;
    for (const store::SeriesInfo& one : series) {
        Words& words = cadences[one.cadence];
        if (one.key.layer.empty()) {
            words.plain.push_back(seriesName(one.key));
            continue;
        }
        addWord(words.layers, one.key.layer);
        addWord(words.operands, one.key.operand.empty() ? one.key.gemm : one.key.operand);
        addWord(words.statistics, one.key.statistic);
    }
    std::string text;
    for (const auto& [cadence, words] : cadences) {
        const std::string moment = cadence == "eval" ? "at evaluations" : "every " + cadence;
        if (!words.plain.empty()) text += keyLine(moment, fmt::format("{}", fmt::join(words.plain, ", ")));
        if (words.layers.empty()) continue;
        text += keyLine(cadence == "statistics" ? "statistics" : moment,
                        fmt::format("layer/operand/statistic: {} layers, {}; {}", words.layers.size(),
                                    fmt::join(words.operands, ", "), fmt::join(words.statistics, ", ")));
    }
    return text;
}

std::string eventLines(const std::vector<store::Event>& events) {
    std::string text;
    for (const store::Event& event : events)
        text += keyLine(fmt::format("step {:.0f}", event.step),
                        fmt::format("{}{}", event.layer.empty() ? "" : event.layer + ": ", event.message));
    return text;
}

std::string section(const char* title, const std::string& lines) {
    return lines.empty() ? "" : fmt::format("\n{}\n{}", title, lines);
}

Json layersJson(const std::vector<store::LayerInfo>& layers) {
    Json json = Json::array();
    for (const store::LayerInfo& layer : layers)
        json.push_back({{"name", layer.name},
                        {"out_features", layer.outFeatures},
                        {"in_features", layer.inFeatures},
                        {"converted", layer.converted},
                        {"reason", layer.reason},
                        {"gemms", layer.gemms}});
    return json;
}

Json eventsJson(const std::vector<store::Event>& events) {
    Json json = Json::array();
    for (const store::Event& event : events)
        json.push_back({{"kind", store::eventKindName(event.kind)},
                        {"step", event.step},
                        {"layer", event.layer},
                        {"message", event.message},
                        {"detail", event.detail}});
    return json;
}

}  // namespace

Result<RunSummary> summarise(store::Reader& reader, const store::RunInfo& run) {
    RunSummary summary;
    summary.run = run;
    auto layers = reader.layers(run.id);
    if (!layers) return layers.error();
    auto events = reader.events(run.id);
    if (!events) return events.error();
    auto series = reader.series(run.id);
    if (!series) return series.error();
    for (const store::SeriesInfo& one : *series) {
        if (!one.key.layer.empty()) continue;
        const auto data = reader.samples(one.id);
        if (!data) return data.error();
        if (!data->value.empty()) summary.last.emplace_back(seriesName(one.key), data->value.back());
    }
    summary.layers = std::move(*layers);
    summary.events = std::move(*events);
    summary.series = std::move(*series);
    return summary;
}

std::string summaryText(const RunSummary& summary) {
    const store::RunInfo& run = summary.run;
    const std::string note = run.stateNote.empty() ? "" : ", " + run.stateNote;
    std::string text = fmt::format("Run {} \"{}\": {}{}; {} of {} steps; recipe {}, seed {}{}\n", run.id.value,
                                   run.name, store::runStateName(run.state), note, run.steps, run.plannedSteps,
                                   run.recipeName, run.seed, run.baseline ? ", the baseline" : "");
    if (run.recipeChanges > 0) text += fmt::format("Its recipe was changed {} times on the way.\n", run.recipeChanges);
    std::string last;
    for (const auto& [name, value] : summary.last)
        last += fmt::format("  {:<18} {}\n", name, csvNumber(value));
    text += section("Last values", last);
    text += section("Recipe", keyLines(run.recipe));
    text += section("What trains", keyLines(run.effective));
    text += section("Environment", keyLines(run.environment));
    if (!summary.layers.empty()) text += section("Layers", layerTable(layerLines(summary.layers)));
    text += section("Events", eventLines(summary.events));
    text += section("Series (show RUN --series NAME)", seriesLines(summary.series));
    return text;
}

Json summaryJson(const RunSummary& summary) {
    const store::RunInfo& run = summary.run;
    Json names = Json::array(), last = Json::object();
    for (const store::SeriesInfo& one : summary.series)
        names.push_back(seriesName(one.key));
    for (const auto& [name, value] : summary.last)
        last[name] = jsonNumber(value);
    return {{"run",
             {{"id", run.id.value},
              {"name", run.name},
              {"state", store::runStateName(run.state)},
              {"note", run.stateNote},
              {"seed", run.seed},
              {"steps", run.steps},
              {"planned_steps", run.plannedSteps},
              {"experiment", run.experiment.value},
              {"baseline", run.baseline},
              {"recipe_changes", run.recipeChanges},
              {"recipe", run.recipe},
              {"effective", run.effective},
              {"environment", run.environment}}},
            {"last", last},
            {"layers", layersJson(summary.layers)},
            {"events", eventsJson(summary.events)},
            {"series", names}};
}

}  // namespace octet::app
