// SPDX-License-Identifier: Apache-2.0
// Presets and recipe files behind one kind of reference.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "engine/core/files.h"
#include "engine/core/text.h"
#include "engine/recipe/import.h"
#include "engine/recipe/preset_texts.h"
#include "engine/recipe/recipe_json.h"

namespace octet::recipe {
namespace {

constexpr std::string_view kPresetPrefix = "preset:";
constexpr std::string_view kSuffix = ".octet.json";
constexpr uint64_t kLargestFile = 4 << 20;

Result<LoadedRecipe> recipeFromText(const std::string& text, const std::string& what) {
    const auto json = parseJson(text, what);
    if (!json) return json.error();
    return recipeFromJson(*json, what);
}

std::vector<Preset> compiledPresets() {
    std::vector<Preset> all;
    for (const PresetText& text : presetTexts()) {
        auto loaded = recipeFromText(text.json, fmt::format("preset {}", text.name));
        if (!loaded) throw std::logic_error(loaded.error().message);  // a test reads every preset
        std::string summary = recipeSummary(loaded->recipe);
        all.push_back({text.name, std::move(loaded->recipe), std::move(summary)});
    }
    return all;
}

std::vector<std::string> presetNames() {
    std::vector<std::string> names;
    for (const Preset& preset : presets())
        names.push_back(preset.name);
    return names;
}

Result<LoadedRecipe> loadPreset(const std::string& name) {
    const auto all = presets();
    const auto preset = std::ranges::find(all, name, &Preset::name);
    if (preset != all.end()) return LoadedRecipe{preset->recipe, {}};
    const auto names = presetNames();
    const auto nearest = nearestWord(name, names);
    return Error{
        ErrorCode::NotFound, fmt::format("Unknown preset \"{}\"; known are {}.", name, fmt::join(names, ", ")),
        nearest ? fmt::format("Did you mean \"preset:{}\"?", *nearest) : "List them with: octet-engine recipe presets"};
}

/// Octet's own files by JSON's rules; what is no Octet recipe by the forms of other programs.
Result<LoadedRecipe> recipeOfAnyForm(const std::string& text, const std::string& what) {
    const auto json = looksLikeJson(text) ? parseMarkedJson(text, what) : Result<MarkedValue>(MarkedValue{});
    if (!json) return json.error();
    const bool own = looksLikeJson(text) && formOf(text, *json) != RecipeForm::AccelerateConfig &&
                     formOf(text, *json) != RecipeForm::AccelerateKwargs;
    return own ? recipeFromText(text, what) : importRecipe(text, what);
}

std::string nameFromPath(const std::filesystem::path& path) {
    std::string name = path.filename().string();
    if (name.ends_with(kSuffix)) return name.substr(0, name.size() - kSuffix.size());
    return path.stem().string();
}

}  // namespace

std::span<const Preset> presets() {
    static const std::vector<Preset> all = compiledPresets();
    return all;
}

Result<LoadedRecipe> loadRecipe(const std::string& reference) {
    if (reference.starts_with(kPresetPrefix)) return loadPreset(reference.substr(kPresetPrefix.size()));
    if (reference.empty()) {
        return Error{ErrorCode::Usage, "A recipe is expected as preset:NAME or as a file, found an empty text.",
                     "List the presets with: octet-engine recipe presets"};
    }
    auto text = readFile(reference, kLargestFile);
    if (!text) {
        Error error = text.error();
        const auto nearest = nearestWord(reference, presetNames());
        if (error.code == ErrorCode::NotFound)
            error.hint = nearest ? fmt::format("Did you mean \"preset:{}\"?", *nearest)
                                 : "Name a recipe file, or preset:NAME (octet-engine recipe presets lists them).";
        return error;
    }
    auto loaded = recipeOfAnyForm(*text, "recipe file " + reference);
    if (loaded && loaded->recipe.name.empty()) loaded->recipe.name = nameFromPath(reference);
    return loaded;
}

}  // namespace octet::recipe
