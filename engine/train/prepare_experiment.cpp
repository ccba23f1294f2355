// SPDX-License-Identifier: Apache-2.0
// From a run spec to runs that are ready to train: recipes loaded and planned, model and data checked.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/backend/device_library.h"
#include "engine/train/experiment.h"

namespace octet::train {
namespace {

/// auto is the CPU, and asks for no GPU: nothing of CUDA is loaded.
Result<void> checkDevice(const std::string& device) {
    if (device == "auto" || device == "cpu") return {};
    if (const auto index = backend::deviceIndex(device); !index) return index.error();
    return Error{ErrorCode::Refused,
                 fmt::format("Runs train on the CPU in this version; --device {} is not used.", device),
                 "Use --device auto or --device cpu; octet-engine selfcheck --device cuda checks the GPU's kernels."};
}

struct PlannedRecipe {
    recipe::Recipe recipe;
    recipe::TrainingPlan plan;
};

Result<std::vector<PlannedRecipe>> planRecipes(PreparedExperiment& experiment) {
    std::vector<PlannedRecipe> planned;
    std::set<std::string> names;
    for (const std::string& reference : experiment.spec.recipes) {
        auto loaded = recipe::loadRecipe(reference);
        if (!loaded.ok()) return loaded.error();
        auto plan = recipe::planTraining(loaded->recipe, experiment.modules);
        if (!plan.ok()) return plan.error();
        const std::string& name = loaded->recipe.name;
        if (!names.insert(name).second) {
            return Error{ErrorCode::Usage, fmt::format("Two recipes of the experiment are called \"{}\".", name),
                         "Give one of them another name in its file."};
        }
        for (const auto* sentences : {&loaded->warnings, &plan->notes}) {
            for (const std::string& sentence : *sentences) {
                experiment.warnings.push_back(fmt::format("{}: {}", name, sentence));
            }
        }
        planned.push_back({std::move(loaded->recipe), std::move(*plan)});
    }
    return planned;
}

void addRuns(PreparedExperiment& experiment, const std::vector<PlannedRecipe>& planned) {
    const bool manySeeds = experiment.spec.seeds.size() > 1;
    for (const int64_t seed : experiment.spec.seeds) {
        bool baselineSeen = false;
        for (const PlannedRecipe& item : planned) {
            const bool baseline = !item.plan.fp8 && !baselineSeen;
            baselineSeen = baselineSeen || baseline;
            const std::string name = manySeeds ? fmt::format("{} seed {}", item.recipe.name, seed) : item.recipe.name;
            experiment.runs.push_back({name, item.recipe, item.plan, seed, baseline, false});
        }
    }
    const auto baseline = std::find_if(experiment.runs.begin(), experiment.runs.end(),
                                       [](const PreparedRun& run) { return run.baseline; });
    if (baseline == experiment.runs.end()) {
        experiment.warnings.emplace_back(
            "No recipe is a baseline (backend none), so gaps and their noise band can't be measured.");
        return;
    }
    PreparedRun twin = *baseline;
    twin.name += " A/A";
    twin.baseline = false;
    twin.hidden = true;
    experiment.runs.push_back(std::move(twin));
}

std::string experimentName(const recipe::RunSpec& spec, const std::vector<PlannedRecipe>& planned) {
    if (!spec.name.empty()) return spec.name;
    std::string name;
    for (const PlannedRecipe& item : planned)
        name += (name.empty() ? "" : ", ") + item.recipe.name;
    return name;
}

}  // namespace

Result<PreparedExperiment> prepareExperiment(const recipe::RunSpec& spec) {
    if (auto checked = recipe::checkRunSpec(spec); !checked.ok()) return checked.error();
    if (auto device = checkDevice(spec.device); !device.ok()) return device.error();
    auto model = arch::parseModelSpec(spec.model);
    if (!model.ok()) return model.error();
    PreparedExperiment experiment;
    experiment.spec = spec;
    experiment.model = *model;
    experiment.modules = arch::listModules(*model);
    auto planned = planRecipes(experiment);
    if (!planned.ok()) return planned.error();
    auto corpus = loadCorpus(spec.data, {model->bytesPerSequence(), spec.batch, model->vocab});
    if (!corpus.ok()) return corpus.error();
    experiment.corpus = std::make_shared<const Corpus>(std::move(*corpus));
    experiment.name = experimentName(spec, *planned);
    addRuns(experiment, *planned);
    return experiment;
}

}  // namespace octet::train
