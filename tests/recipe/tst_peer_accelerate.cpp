// SPDX-License-Identifier: Apache-2.0
// What Octet writes is loaded by the real accelerate 1.15.0 with Transformer Engine's own recipe classes and torchao
// 0.18.0, and builds the recipe that Octet predicted. Skipped unless OCTET_PEER (the peer scripts) and
// OCTET_PEER_PYTHON (a Python with those libraries) are set.
#include <QProcess>
#include <QTest>

#include "engine/recipe/effective.h"
#include "engine/recipe/export.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"

using namespace octet;
using namespace octet::recipe;

namespace {

/// Recipes beside the presets.
const char* const kMore[] = {
    R"({"octet_recipe": 1, "name": "all", "backend": "TE", "te": {"fp8_format": "E4M3", "margin": 2, "interval": 4,
      "amax_history_len": 32, "amax_compute_algo": "max", "override_linear_precision": [false, false, true]}})",
    R"({"octet_recipe": 1, "name": "mx", "backend": "TE", "target": {"compute_capability": "10.0"},
      "te": {"use_mxfp8_block_scaling": true, "margin": 1}})",
    R"({"octet_recipe": 1, "name": "ao", "backend": "AO", "ao": {"pad_inner_dim": true}})",
    R"({"octet_recipe": 1, "name": "own", "backend": "AO", "ao": {"config": "custom", "float8": {
      "cast_config_input": "dyn_axs_e4m3", "cast_config_weight": "dyn_axs_e4m3", "cast_config_grad_output": "dyn_axs_e5m2",
      "cast_config_input_for_grad_weight": "disabled", "cast_config_grad_output_for_grad_weight": "disabled",
      "use_fast_accum": [true, true, false], "round_scales_to_power_of_2": true}}})",
    R"({"octet_recipe": 1, "name": "filtered", "backend": "AO", "ao": {"config": "tensorwise"},
      "layers": {"base": "all", "filter_fqns": ["2"], "num_layers_at_start_in_bf16": 1,
      "rules": [{"match": "nothing", "keep": true, "why": "a note"}]}})",
    R"({"octet_recipe": 1, "name": "cur", "backend": "native", "native": {"recipe": "Float8CurrentScaling",
      "use_power_2_scales": true, "amax_epsilon": 1e-6, "use_fast_accum": [true, true, false]}})",
    R"({"octet_recipe": 1, "name": "blk", "backend": "native", "native": {"recipe": "Float8BlockScaling", "use_f32_scales": true}})",
};

std::vector<Recipe> recipes() {
    std::vector<Recipe> all;
    for (const Preset& preset : presets())
        all.push_back(preset.recipe);
    for (const char* text : kMore)
        all.push_back(recipeFromJson(parseJson(text, "row").value(), "row").value().recipe);
    return all;
}

struct Task {
    std::string name;
    std::string predicted;
    Json json;
};

std::vector<Task> tasks() {
    std::vector<Task> all;
    for (Recipe recipe : recipes()) {
        if (recipe.te.useMxfp8BlockScaling || recipe.backend == Backend::Native)
            recipe.target.computeCapability = "10.0";
        recipe.target.transformerEngine = "2.20.2";
        for (const ExportTarget& target : exportTargets()) {
            const std::string form = target.name;
            const auto exported = exportRecipe(recipe, form);
            if (form == "octet-json" || form == "nvdlfw" || !exported) continue;
            const bool onlyName = recipe.backend == Backend::Native || form == "te";
            const std::string runs = effectiveRecipe(recipe).runs;
            const bool blackwell = recipe.target.computeCapability == "10.0";
            all.push_back({recipe.name + " as " + form,
                           onlyName ? runs.substr(0, runs.find('(')) : runs,
                           {{"form", form == "python" && recipe.backend == Backend::Native ? "te" : form},
                            {"suffix", form == "accelerate-json" ? ".json" : ".yaml"},
                            {"text", exported->text},
                            {"capability", blackwell ? Json{10, 0} : Json{9, 0}}}});
        }
    }
    return all;
}

}  // namespace

class TstPeerAccelerate : public QObject {
    Q_OBJECT

private slots:
    void writtenFilesBuildThePredictedRecipe();
};

void TstPeerAccelerate::writtenFilesBuildThePredictedRecipe() {
    const QString python = qEnvironmentVariable("OCTET_PEER_PYTHON");
    if (python.isEmpty() || qEnvironmentVariableIsEmpty("OCTET_PEER"))
        QSKIP("OCTET_PEER and OCTET_PEER_PYTHON are not set");
    Json input = Json::array();
    const std::vector<Task> all = tasks();
    for (const Task& task : all)
        input.push_back(task.json);
    QProcess peer;
    peer.start(python, {QStringLiteral(OCTET_SOURCE_DIR "/tests/recipe/peer_accelerate.py")});
    peer.write(QByteArray::fromStdString(input.dump()));
    peer.closeWriteChannel();
    QVERIFY2(peer.waitForFinished(300'000), "the peer did not end");
    const QByteArray out = peer.readAllStandardOutput();
    QVERIFY2(peer.exitCode() == 0, peer.readAllStandardError().constData());
    const Json results = parseJson(out.mid(out.lastIndexOf("\n[") + 1).toStdString(), "peer").value();
    QCOMPARE(results.size(), all.size());
    int wrong = 0;
    for (size_t i = 0; i < all.size(); ++i) {
        const std::string built = results[i].contains("runs") ? results[i]["runs"].get<std::string>()
                                                              : "error " + results[i]["error"].get<std::string>();
        if (built == all[i].predicted) continue;
        ++wrong;
        qWarning("%s\n  predicted %s\n  built     %s", all[i].name.c_str(), all[i].predicted.c_str(), built.c_str());
    }
    qInfo("%zu files, %d differ", all.size(), wrong);
    QCOMPARE(wrong, 0);
}

QTEST_APPLESS_MAIN(TstPeerAccelerate)
#include "tst_peer_accelerate.moc"
