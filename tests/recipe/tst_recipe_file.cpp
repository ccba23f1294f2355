// SPDX-License-Identifier: Apache-2.0
// Recipes as JSON and presets: round trip, every refusal with its sentence, warnings, diff, and the schema table.
#include <QTemporaryDir>
#include <QtTest>

#include "engine/core/files.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"

using namespace octet;
using namespace octet::recipe;

namespace {

Result<LoadedRecipe> read(const QString& text) {
    const auto json = parseJson(text.toStdString(), "recipe file r.json");
    if (!json) return json.error();
    return recipeFromJson(*json, "recipe file r.json");
}

/// A TE recipe with one more key in its te block.
QString withTe(const QString& inside) {
    return R"({"octet_recipe": 1, "backend": "TE", "te": {)" + inside + "}}";
}
QString withRule(const QString& rule) {
    return R"({"octet_recipe": 1, "layers": {"rules": [{"match": "a"}, )" + rule + "]}}";
}

/// Every field off its default, so that a field which is not written or not read shows.
Recipe unlikeDefaults() {
    Recipe recipe;
    recipe.name = "별난 레시피 \"1\"";
    recipe.semantics = Semantics::Documented;
    recipe.target = {"1.14.0", "2.18", "0.17.1", "10.0", "fsdp2"};
    recipe.te = {TeFormat::E4M3, -3, 7, 33, AmaxAlgo::Max, {true, false, true}, true, true};
    recipe.ao = {AoConfig::Custom,
                 false,
                 false,
                 {AoCast::DynAxsE4M3,
                  AoCast::DynTenE4M3,
                  AoCast::DynAxsE4M3,
                  AoCast::DynTenE4M3,
                  AoCast::DynAxsE5M2,
                  AoCast::DynTenE5M2,
                  {false, true, true},
                  true,
                  true,
                  true,
                  true}};
    recipe.native = {NativeKind::Mxfp8BlockScaling, NativeFormat::E4M3, true, 1e-4, true, true, MxScaleMode::Rceil,
                     BackwardOverride::Dequantized, {false, true, true}};
    recipe.layers = {LayerBase::All,
                     {{"lm_head", true, {}, "last layer"},
                      {"re:layers\\.(0|31)\\..*", false, {false, false, true}, "", RuleFormat::E4M3},
                      {"up_proj", false, {}, "", RuleFormat::Inherit, RuleScaling::Mxfp8}},
                     {"lm_head", "gate"},
                     1,
                     2};
    return recipe;
}

/// Only the fields of the recipe's own block; a file holds no others.
Recipe withOwnBlock(Recipe recipe, Backend backend) {
    recipe.backend = backend;
    if (backend != Backend::Te) recipe.te = {};
    if (backend != Backend::Ao) recipe.ao = {};
    if (backend != Backend::Native) recipe.native = {};
    return recipe;
}

Backend backendOf(const RecipeField& field) {
    const std::string_view key = field.key;
    return key.starts_with("ao.") ? Backend::Ao : key.starts_with("native.") ? Backend::Native : Backend::Te;
}

QString said(const Error& error) {
    return QString::fromStdString(error.message + " " + error.hint);
}

}  // namespace

class TstRecipeFile : public QObject {
    Q_OBJECT

private slots:
    void writtenRecipesReadEqual_data();
    void writtenRecipesReadEqual();
    void everyFieldOfTheTableIsWritten();
    void badFilesAreRefused_data();
    void badFilesAreRefused();
    void oddValuesAreWarnings_data();
    void oddValuesAreWarnings();
    void choicesAreReadInAnyCaseWhereAccelerateDoes();
    void presetsAreTheOnesPromised_data();
    void presetsAreTheOnesPromised();
    void presetsOfOtherBackends_data();
    void presetsOfOtherBackends();
    void presetFilesMatchTheCompiledOnes();
    void referencesAreLoaded();
    void badReferencesAreRefused_data();
    void badReferencesAreRefused();
    void differencesNameKeyAndValues();
    void helpNamesEveryKey();
};

void TstRecipeFile::writtenRecipesReadEqual_data() {
    QTest::addColumn<bool>("defaults");
    QTest::addColumn<Backend>("backend");
    QTest::newRow("defaults") << true << Backend::Te;
    QTest::newRow("every field off its default") << false << Backend::Te;
    QTest::newRow("a baseline") << true << Backend::None;
    QTest::newRow("torchao with defaults") << true << Backend::Ao;
    QTest::newRow("torchao, every field off its default") << false << Backend::Ao;
    QTest::newRow("native with defaults") << true << Backend::Native;
    QTest::newRow("native, every field off its default") << false << Backend::Native;
}

void TstRecipeFile::writtenRecipesReadEqual() {
    QFETCH(bool, defaults);
    QFETCH(Backend, backend);
    const Recipe recipe = withOwnBlock(defaults ? Recipe{} : unlikeDefaults(), backend);
    const auto loaded = read(QString::fromStdString(recipeText(recipe)));
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().message.c_str());
    QVERIFY(loaded->recipe == recipe);
    const Json json = recipeToJson(recipe);
    QCOMPARE(json.contains("te"), backend == Backend::Te);
    QCOMPARE(json.contains("ao"), backend == Backend::Ao);
    QCOMPARE(json.contains("native"), backend == Backend::Native);
    if (backend == Backend::Ao) QCOMPARE(json["ao"].contains("float8"), !defaults);
    QCOMPARE(recipeText(loaded->recipe), recipeText(recipe));
}

void TstRecipeFile::everyFieldOfTheTableIsWritten() {
    for (const RecipeField& field : recipeFields()) {
        const Recipe other = unlikeDefaults();
        if (std::string_view(field.key) == "backend") continue;  // the rows above have each backend
        Recipe recipe;
        recipe.backend = backendOf(field);
        const Recipe before = recipe;
        QVERIFY2(field.get(recipe) != field.get(other), field.key);
        field.set(recipe, field.get(other));
        QVERIFY2(recipe != before, field.key);
        const auto loaded = read(QString::fromStdString(recipeText(recipe)));
        QVERIFY2(loaded.ok() && loaded->recipe == recipe, field.key);
    }
}

void TstRecipeFile::badFilesAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("facts");
    const auto row = [](const char* name, const QString& text, const QStringList& facts) {
        QTest::newRow(name) << text << facts;
    };
    row("an unknown key at the top names the nearest", R"({"octet_recipe": 1, "sematics": "library"})",
        {"r.json", "\"sematics\"", "semantics"});
    row("a te key at the top is sent inside te", R"({"octet_recipe": 1, "margin": 1})",
        {"\"margin\"", "inside \"te\""});
    row("a misspelt te key at the top", R"({"octet_recipe": 1, "amax_history_length": 1})", {"te.amax_history_len"});
    row("a dotted key is no path", R"({"octet_recipe": 1, "te.margin": 1})", {"unknown key \"te.margin\""});
    row("the wizard's dead history key (C216 b)", withTe(R"("amax_history_length": 16)"),
        {"te.amax_history_length", "amax_history_len\""});
    row("the wizard's dead algorithm key (C216 b)", withTe(R"("amax_compute_algorithm": "max")"),
        {"te.amax_compute_algorithm", "amax_compute_algo\""});
    row("an unknown key in target", R"({"octet_recipe": 1, "target": {"acelerate": "1.0"}})",
        {"target.acelerate", "accelerate"});
    row("an unknown key in layers", R"({"octet_recipe": 1, "layers": {"rule": []}})", {"layers.rule", "rules"});
    row("an unknown key in a rule", withRule(R"({"match": "b", "keeep": true})"), {"rules[1]", "keeep", "\"keep\""});
    row("an unknown GEMM in a rule", withRule(R"({"match": "b", "gemms": {"wgrd": "high"}})"),
        {"rules[1]", "wgrd", "wgrad"});
    row("a GEMM that is neither high nor fp8", withRule(R"({"match": "b", "gemms": {"wgrad": "low"}})"),
        {"rules[1]", "high"});
    row("a rule without match", withRule(R"({"keep": true})"), {"rules[1]", "match"});
    row("a rule with an empty match", withRule(R"({"match": ""})"), {"rules[1].match", "empty"});
    row("a regular expression without one", withRule(R"({"match": "re:"})"), {"rules[1].match", "empty"});
    row("a rule that is no object", withRule("\"lm_head\""), {"rules[1]", "object", "lm_head"});
    row("a bad regular expression", withRule(R"({"match": "re:layers.(0"})"),
        {"rules[1].match", "re:layers.(0", "regular expression"});
    row("a pattern far too long", withRule(R"({"match": ")" + QString(1500, 'a') + R"("})"),
        {"rules[1].match", "1000", "1500"});
    row("rules that are no list", R"({"octet_recipe": 1, "layers": {"rules": {}}})",
        {"layers.rules", "list", "object"});
    row("layers that are no object", R"({"octet_recipe": 1, "layers": 3})", {"layers", "an object", "3"});
    row("a history of 0 (C216 h)", withTe(R"("amax_history_len": 0)"), {"te.amax_history_len", "1 to 65,536", "0"});
    row("a history above the limit", withTe(R"("amax_history_len": 65537)"), {"1 to 65,536", "65537"});
    row("a margin above its range", withTe(R"("margin": 65)"), {"te.margin", "-64 to 64", "65"});
    row("a margin below its range", withTe(R"("margin": -65)"), {"te.margin", "-64 to 64", "-65"});
    row("a margin beyond 64 bits", withTe(R"("margin": 18446744073709551615)"), {"te.margin", "-64 to 64"});
    row("a margin with a fraction", withTe(R"("margin": 1.5)"), {"te.margin", "whole number", "1.5"});
    row("a margin as text", withTe(R"("margin": "2")"), {"te.margin", "whole number", "the text \"2\""});
    row("an interval of 0", withTe(R"("interval": 0)"), {"te.interval", "1 to 1,000,000", "0"});
    row("an interval above the limit", withTe(R"("interval": 1000001)"), {"te.interval", "1,000,000"});
    row("an unknown format", withTe(R"("fp8_format": "E4M2")"), {"te.fp8_format", "HYBRID, E4M3, E5M2", "\"E4M3\""});
    row("a format that is a number", withTe(R"("fp8_format": 1)"), {"te.fp8_format", "one of", "number 1"});
    row("an unknown algorithm", withTe(R"("amax_compute_algo": "mean")"),
        {"te.amax_compute_algo", "max, most_recent", "mean"});
    row("the override as text (C216 c)", withTe(R"x("override_linear_precision": "(false, false, true)")x"),
        {"override_linear_precision", "list of three", "(false, false, true)"});
    row("the override with two entries", withTe(R"("override_linear_precision": [true, false])"),
        {"list of three", "list of 2"});
    row("a switch that is a number", withTe(R"("use_autocast_during_eval": 1)"), {"true or false", "1"});
    row("the backend in small letters (C216 g)", R"({"octet_recipe": 1, "backend": "te"})",
        {"backend", "\"te\"", "\"TE\""});
    row("unknown semantics", R"({"octet_recipe": 1, "semantics": "libary"})",
        {"semantics", "library, documented", "\"library\""});
    row("a capability that is no version", R"({"octet_recipe": 1, "target": {"compute_capability": "hopper"}})",
        {"target.compute_capability", "version", "hopper"});
    row("an unknown way of running", R"({"octet_recipe": 1, "target": {"parallel": "fsdp"}})",
        {"target.parallel", "fsdp1"});
    row("an unknown base", R"({"octet_recipe": 1, "layers": {"base": "acelerate"}})",
        {"layers.base", "\"accelerate\""});
    row("no version", R"({"backend": "TE"})", {"octet_recipe", "missing"});
    row("a version that is no number", R"({"octet_recipe": "1"})", {"octet_recipe", "text"});
    row("a list in place of a recipe", "[1]", {"an object", "a list of 1"});
    row("text that is no JSON", "octet_recipe: 1", {"r.json", "JSON"});
    row("a key twice", R"({"octet_recipe": 1, "name": "a", "name": "b"})", {"name", "twice"});
    row("an unknown torchao config", R"({"octet_recipe": 1, "backend": "AO", "ao": {"config": "rowise"}})",
        {"ao.config", "rowwise_with_gw_hp", "\"rowwise\""});
    row("an unknown cast", R"({"octet_recipe": 1, "backend": "AO", "ao": {"float8": {"cast_config_input": "e4m3"}}})",
        {"ao.float8.cast_config_input", "dyn_axs_e4m3"});
    row("an unknown native recipe", R"({"octet_recipe": 1, "backend": "native", "native": {"recipe": "NVFP4"}})",
        {"native.recipe", "Float8BlockScaling"});
    row("a negative epsilon", R"({"octet_recipe": 1, "backend": "native", "native": {"amax_epsilon": -1}})",
        {"native.amax_epsilon", "from 0 to 1", "-1"});
    row("an unknown scaling in a rule", withRule(R"({"match": "b", "scaling": "blocks"})"),
        {"rules[1]", "scaling", "block"});
}

void TstRecipeFile::badFilesAreRefused() {
    QFETCH(QString, text);
    QFETCH(QStringList, facts);
    const auto loaded = read(text);
    QVERIFY(!loaded.ok());
    QCOMPARE(exitCodeFor(loaded.error().code), 2);
    for (const QString& fact : facts) {
        QVERIFY2(said(loaded.error()).contains(fact), qPrintable(said(loaded.error()) + " lacks " + fact));
    }
    const auto newer = read(R"({"octet_recipe": 2, "unheard_of": 1})");
    QCOMPARE(newer.error().code, ErrorCode::NewerVersion);
}

void TstRecipeFile::oddValuesAreWarnings_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("fact");
    QTest::newRow("a negative margin (C216 h)") << withTe("\"margin\": -3") << "te.margin -3";
    QTest::newRow("GEMMs beside keep") << withRule(R"({"match": "b", "keep": true, "gemms": {"wgrad": "high"}})")
                                       << "rules[1]";
    QTest::newRow("a te block of a baseline") << R"({"octet_recipe": 1, "backend": "none", "te": {"margin": 2}})"
                                              << "te block";
    QTest::newRow("an ao block of a native recipe")
        << R"({"octet_recipe": 1, "backend": "native", "ao": {"config": "rowwise"}})"
        << "ao block";
    QTest::newRow("a native block of a TE recipe")
        << R"({"octet_recipe": 1, "backend": "TE", "native": {"use_f32_scales": true}})"
        << "native block";
    QTest::newRow("a config of its own that is not read")
        << R"({"octet_recipe": 1, "backend": "AO", "ao": {"config": "rowwise", "float8": {"emulate": true}}})"
        << "ao.config is rowwise";
    QTest::newRow("a format beside keep")
        << withRule(R"({"match": "b", "keep": true, "fp8_format": "E4M3"})") << "rules[1]";
}

void TstRecipeFile::oddValuesAreWarnings() {
    QFETCH(QString, text);
    QFETCH(QString, fact);
    const auto loaded = read(text);
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().message.c_str());
    QCOMPARE(loaded->warnings.size(), size_t{1});
    QVERIFY2(QString::fromStdString(loaded->warnings[0]).contains(fact), loaded->warnings[0].c_str());
    QVERIFY(read(withTe("\"margin\": 0")).value().warnings.empty());
}

void TstRecipeFile::choicesAreReadInAnyCaseWhereAccelerateDoes() {
    const auto loaded = read(withTe(R"("fp8_format": "hybrid", "amax_compute_algo": "MAX")"));
    QVERIFY(loaded.ok());
    QCOMPARE(loaded->recipe.te.fp8Format, TeFormat::Hybrid);
    QCOMPARE(loaded->recipe.te.amaxComputeAlgo, AmaxAlgo::Max);
}

void TstRecipeFile::presetsAreTheOnesPromised_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("fp8");
    QTest::addColumn<int>("format");
    QTest::addColumn<int>("history");
    QTest::addColumn<int>("algo");
    QTest::addColumn<QString>("summary");
    const auto row = [](const char* name, TeFormat format, int history, AmaxAlgo algo, const char* summary) {
        QTest::newRow(name) << name << true << int(format) << history << int(algo) << summary;
    };
    QTest::newRow("baseline") << "baseline" << false << 0 << 1024 << int(AmaxAlgo::MostRecent)
                              << "BF16 without FP8: the run that others are compared with";
    row("accelerate-default", TeFormat::Hybrid, 1024, AmaxAlgo::MostRecent,
        "E4M3 forward, E5M2 gradients; history 1,024, asks most_recent, gets max");
    row("te-default", TeFormat::Hybrid, 1024, AmaxAlgo::Max, "E4M3 forward, E5M2 gradients; history 1,024, max");
    row("hybrid-16", TeFormat::Hybrid, 16, AmaxAlgo::Max, "E4M3 forward, E5M2 gradients; history 16, max");
    row("e4m3-16", TeFormat::E4M3, 16, AmaxAlgo::Max, "E4M3 everywhere; history 16, max");
}

void TstRecipeFile::presetsAreTheOnesPromised() {
    QFETCH(QString, name);
    QFETCH(bool, fp8);
    QFETCH(int, format);
    QFETCH(int, history);
    QFETCH(int, algo);
    QFETCH(QString, summary);
    const auto loaded = loadRecipe("preset:" + name.toStdString());
    QVERIFY(loaded.ok());
    QVERIFY(loaded->warnings.empty());
    Recipe expected;
    expected.name = name.toStdString();
    expected.backend = fp8 ? Backend::Te : Backend::None;
    expected.te.fp8Format = TeFormat(format);
    expected.te.amaxHistoryLen = history;
    expected.te.amaxComputeAlgo = AmaxAlgo(algo);
    QVERIFY(loaded->recipe == expected);
    QCOMPARE(QString::fromStdString(recipeSummary(loaded->recipe)), summary);
}

void TstRecipeFile::presetsOfOtherBackends_data() {
    QTest::addColumn<Backend>("backend");
    QTest::addColumn<QString>("summary");
    const auto row = [](const char* name, Backend backend, const char* summary) {
        QTest::newRow(name) << backend << summary;
    };
    row("te-current", Backend::Native, "E4M3 forward, E5M2 gradients; scale from the tensor's own amax");
    row("te-current-po2", Backend::Native,
        "E4M3 forward, E5M2 gradients; scale from the tensor's own amax, powers of two");
    row("te-block", Backend::Native, "E4M3 everywhere; one scale per 1 x 128 values, weights 128 x 128");
    row("mxfp8", Backend::Native, "E4M3 everywhere; one power of two per 32 values (MXFP8)");
    row("ao-tensorwise", Backend::Ao, "torchao tensorwise: E4M3 forward, E5M2 gradients, one scale per tensor");
    row("ao-rowwise", Backend::Ao, "torchao rowwise: E4M3 everywhere, one power-of-two scale per row");
    row("ao-rowwise-gw-hp", Backend::Ao, "torchao rowwise, grad_weight in high precision");
}

void TstRecipeFile::presetsOfOtherBackends() {
    QFETCH(Backend, backend);
    QFETCH(QString, summary);
    const auto loaded = loadRecipe(std::string("preset:") + QTest::currentDataTag());
    QVERIFY(loaded.ok());
    QVERIFY(loaded->warnings.empty());
    QCOMPARE(loaded->recipe.backend, backend);
    QCOMPARE(QString::fromStdString(recipeSummary(loaded->recipe)), summary);
}

void TstRecipeFile::presetFilesMatchTheCompiledOnes() {
    const QStringList files = QDir(OCTET_SOURCE_DIR "/resources/presets").entryList({"*.octet.json"}, QDir::Files);
    QCOMPARE(size_t(files.size()), presets().size());
    QCOMPARE(presets().front().name, std::string("baseline"));
    for (const Preset& preset : presets()) {
        const auto file = loadRecipe(std::string(OCTET_SOURCE_DIR "/resources/presets/") + preset.name + ".octet.json");
        QVERIFY2(file.ok(), preset.name.c_str());
        QVERIFY(file->recipe == preset.recipe);
        QCOMPARE(preset.recipe.name, preset.name);
        QVERIFY(preset.recipe.layers.rules.empty());
    }
}

void TstRecipeFile::referencesAreLoaded() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("내 레시피 1.octet.json").toStdString();
    Recipe recipe = unlikeDefaults();
    recipe.name.clear();
    QVERIFY(writeFileAtomically(path, "\xEF\xBB\xBF" + recipeText(recipe)).ok());
    const auto loaded = loadRecipe(path);
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().message.c_str());
    QCOMPARE(loaded->recipe.name, std::string("내 레시피 1"));
}

void TstRecipeFile::badReferencesAreRefused_data() {
    QTest::addColumn<QString>("reference");
    QTest::addColumn<QStringList>("facts");
    QTest::newRow("an unknown preset names the nearest")
        << "preset:hybrd-16" << QStringList{"hybrd-16", "Did you mean \"preset:hybrid-16\""};
    QTest::newRow("a preset like no other")
        << "preset:zzzzzzzzzzzzzzz" << QStringList{"zzz", "baseline", "recipe presets"};
    QTest::newRow("a preset without its prefix") << "hybrid-16" << QStringList{"hybrid-16", "preset:hybrid-16"};
    QTest::newRow("a file that is not there")
        << "/no/such/recipe.octet.json" << QStringList{"/no/such/recipe.octet.json"};
    QTest::newRow("nothing") << "" << QStringList{"preset:NAME", "recipe presets"};
    QTest::newRow("a folder") << OCTET_SOURCE_DIR << QStringList{"folder"};
}

void TstRecipeFile::badReferencesAreRefused() {
    QFETCH(QString, reference);
    QFETCH(QStringList, facts);
    const auto loaded = loadRecipe(reference.toStdString());
    QVERIFY(!loaded.ok());
    QCOMPARE(exitCodeFor(loaded.error().code), 2);
    for (const QString& fact : facts) {
        QVERIFY2(said(loaded.error()).contains(fact), qPrintable(said(loaded.error()) + " lacks " + fact));
    }
}

void TstRecipeFile::differencesNameKeyAndValues() {
    const auto hybrid = loadRecipe("preset:hybrid-16").value().recipe;
    auto other = loadRecipe("preset:e4m3-16").value().recipe;
    other.layers.rules.push_back({"lm_head", true, {}, ""});
    QVERIFY(differingFields(hybrid, hybrid).empty());
    const auto differences = differingFields(hybrid, other);
    QCOMPARE(differences.size(), size_t{3});
    QCOMPARE(differences[0].key, std::string("name"));
    QCOMPARE(differences[1].key, std::string("te.fp8_format"));
    QCOMPARE(differences[1].a + " " + differences[1].b, std::string("HYBRID E4M3"));
    QCOMPARE(differences[2].key, std::string("layers.rules[0]"));
    QCOMPARE(differences[2].a, std::string());
    QCOMPARE(differences[2].b, std::string(R"({"match":"lm_head","keep":true})"));
}

void TstRecipeFile::helpNamesEveryKey() {
    const std::string help = recipeSchemaHelp();
    for (const RecipeField& field : recipeFields()) {
        QVERIFY2(help.find(field.key) != std::string::npos, field.key);
        QVERIFY2(*field.help && *field.readBy, field.key);
        QVERIFY2(field.effect != Effect::DocumentedOnly || (*field.library && *field.documented), field.key);
    }
    QVERIFY(help.find("from 1 to 65,536 [updates]; default 1024") != std::string::npos);
}

QTEST_APPLESS_MAIN(TstRecipeFile)
#include "tst_recipe_file.moc"
