// SPDX-License-Identifier: Apache-2.0
// Module lists from config.json against the golden skeletons, which transformers-like models gave, and bad files.
#include <QTemporaryDir>
#include <QtTest>

#include "engine/arch/config_json.h"
#include "engine/core/files.h"
#include "tests/support/golden_modules.h"

using namespace octet;
using namespace octet::arch;

namespace {

std::vector<Module> golden(const std::string& name) {
    const Json all = tests::goldenJson("layer_conversion.json");
    for (const Json& model : all["models"]) {
        if (model["model"] == name) return tests::modulesOf(model);
    }
    qFatal("no golden model %s", name.c_str());
}

ConfigModel built(const char* config) {
    auto model = modulesFromConfig(parseJson(config, "test").value(), "test");
    if (!model) qFatal("%s", model.error().message.c_str());
    return std::move(model).value();
}

std::string textOf(const std::vector<Module>& modules) {
    std::string text;
    for (const Module& module : modules) {
        text += module.name + ":";
        for (int64_t dim : module.dims)
            text += " " + std::to_string(dim);
        text += module.bias && module.kind == ModuleKind::Linear ? " bias\n" : "\n";
    }
    return text;
}

}  // namespace

class TstConfigJson : public QObject {
    Q_OBJECT

private slots:
    void modulesEqualTheGoldenSkeleton_data();
    void modulesEqualTheGoldenSkeleton();
    void linearsOfMixtralEqualTheGoldenSkeleton();
    void missingKeysHaveTheClassDefaults();
    void familiesDifferWhereTheirClassesDo();
    void tasksGiveTheirHeads();
    void tiedHeadsAreNoted();
    void badConfigsAreRefused_data();
    void badConfigsAreRefused();
    void folderAndFileAreRead();
};

void TstConfigJson::modulesEqualTheGoldenSkeleton_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("config");
    QTest::newRow("Llama with grouped queries")
        << "llama" << QByteArray(R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,
            "num_hidden_layers":2,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256})");
    QTest::newRow("small Llama") << "small llama" << QByteArray(R"({"model_type":"llama","hidden_size":256,
            "intermediate_size":688,"num_hidden_layers":2,"num_attention_heads":8,"num_key_value_heads":2})");
    QTest::newRow("GPT-2 keeps its Conv1D layers")
        << "gpt-2 with Conv1D" << QByteArray(R"({"model_type":"gpt2","n_layer":2})");
    QTest::newRow("BERT classifier of MiniLM's width")
        << "bert classifier" << QByteArray(R"({"model_type":"bert","architectures":["BertForSequenceClassification"],
            "hidden_size":384,"intermediate_size":1536,"num_hidden_layers":2})");
    QTest::newRow("BERT of width 312") << "bert classifier, width 312"
                                       << QByteArray(R"({"model_type":"bert","hidden_size":312,
            "architectures":["BertForSequenceClassification"],"intermediate_size":1200,"num_hidden_layers":2})");
}

void TstConfigJson::modulesEqualTheGoldenSkeleton() {
    QFETCH(QString, name);
    QFETCH(QByteArray, config);
    QCOMPARE(textOf(built(config.constData()).modules), textOf(golden(name.toStdString())));
}

void TstConfigJson::linearsOfMixtralEqualTheGoldenSkeleton() {
    // The skeleton has four experts and leaves out norms; its router has eight outputs.
    const ConfigModel model = built(R"({"model_type":"mixtral","hidden_size":1024,"intermediate_size":3584,
        "num_hidden_layers":2,"num_attention_heads":16,"num_key_value_heads":4,"num_local_experts":8})");
    std::vector<Module> seen;
    for (const Module& module : linearsOf(model.modules)) {
        const bool isLateExpert = module.name.find("experts.4.") != std::string::npos ||
                                  module.name.find("experts.5.") != std::string::npos ||
                                  module.name.find("experts.6.") != std::string::npos ||
                                  module.name.find("experts.7.") != std::string::npos;
        if (!isLateExpert) seen.push_back(module);
    }
    QCOMPARE(textOf(seen), textOf(linearsOf(golden("mixture of experts"))));
}

void TstConfigJson::missingKeysHaveTheClassDefaults() {
    const ConfigModel model = built(R"({"model_type":"llama"})");
    QCOMPARE(linearsOf(model.modules).size(), size_t(32 * 7 + 1));
    QCOMPARE(model.summary, std::string("llama: 32 layers, hidden 4,096, vocabulary 32,000"));
}

void TstConfigJson::familiesDifferWhereTheirClassesDo() {
    const auto find = [](const ConfigModel& model, const std::string& name) {
        for (const Module& module : model.modules) {
            if (module.name == name) return module;
        }
        qFatal("no module %s", name.c_str());
    };
    const ConfigModel qwen2 = built(R"({"model_type":"qwen2"})");
    QVERIFY(find(qwen2, "model.layers.0.self_attn.q_proj").bias);
    QVERIFY(!find(qwen2, "model.layers.0.self_attn.o_proj").bias);
    const ConfigModel qwen3 = built(R"({"model_type":"qwen3","hidden_size":1024,"num_attention_heads":16,
        "num_key_value_heads":8})");
    QCOMPARE(find(qwen3, "model.layers.0.self_attn.q_proj").outFeatures(), int64_t(16 * 128));
    QCOMPARE(find(qwen3, "model.layers.0.self_attn.q_norm").dims[0], int64_t(128));
    QCOMPARE(find(built(R"({"model_type":"mistral"})"), "model.layers.0.self_attn.k_proj").outFeatures(),
             int64_t(1024));
    const ConfigModel vit = built(R"({"model_type":"vit","architectures":["ViTForImageClassification"],
        "id2label":{"0":"a","1":"b","2":"c"}})");
    QCOMPARE(find(vit, "classifier").outFeatures(), int64_t(3));
    QVERIFY(find(vit, "vit.encoder.layer.11.attention.attention.query").bias);
}

void TstConfigJson::tasksGiveTheirHeads() {
    const ConfigModel plain = built(R"({"model_type":"bert","architectures":["BertModel"]})");
    QCOMPARE(plain.modules.back().name, std::string("pooler.dense"));
    const ConfigModel masked = built(R"({"model_type":"bert","architectures":["BertForMaskedLM"]})");
    QCOMPARE(masked.modules.back().name, std::string("cls.predictions.decoder"));
    const ConfigModel bare = built(R"({"model_type":"llama","architectures":["LlamaModel"]})");
    QCOMPARE(bare.modules.front().name, std::string("embed_tokens"));
    QCOMPARE(bare.modules.back().name, std::string("norm"));
}

void TstConfigJson::tiedHeadsAreNoted() {
    QCOMPARE(built(R"({"model_type":"llama"})").notes.size(), size_t(0));
    const ConfigModel tied = built(R"({"model_type":"llama","tie_word_embeddings":true})");
    QVERIFY(tied.notes.at(0).starts_with("lm_head shares its weight"));
    QCOMPARE(built(R"({"model_type":"gpt2"})").notes.size(), size_t(2));
}

void TstConfigJson::badConfigsAreRefused_data() {
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("says");
    QTest::newRow("a list") << QByteArray("[1]") << "expected an object, found a list";
    QTest::newRow("another JSON file") << QByteArray(R"({"octet_recipe":1})") << "\"model_type\" is missing";
    QTest::newRow("an unknown family names the nearest")
        << QByteArray(R"({"model_type":"lama"})") << "Is it built like \"llama\"?";
    QTest::newRow("a width as text") << QByteArray(R"({"model_type":"llama","hidden_size":"4096"})")
                                     << "hidden_size: expected a whole number from 1 to 16,777,216, found \"4096\"";
    QTest::newRow("a negative count") << QByteArray(R"({"model_type":"gpt2","n_layer":-1})")
                                      << "n_layer: expected a whole number from 1 to 1,024, found -1";
    QTest::newRow("a flag as number") << QByteArray(R"({"model_type":"vit","qkv_bias":1})")
                                      << "qkv_bias: expected true or false, found 1";
    QTest::newRow("a million experts") << QByteArray(
                                              R"({"model_type":"mixtral","num_hidden_layers":1000,
        "num_local_experts":4000})") << "layers times experts is more than a million";
}

void TstConfigJson::badConfigsAreRefused() {
    QFETCH(QByteArray, config);
    QFETCH(QString, says);
    const auto model = modulesFromConfig(parseJson(config.constData(), "test").value(), "model file c.json");
    QVERIFY(!model);
    const QString error = QString::fromStdString(model.error().message + " " + model.error().hint);
    QVERIFY2(error.startsWith("model file c.json: ") && error.contains(says), qPrintable(error));
}

void TstConfigJson::folderAndFileAreRead() {
    const QTemporaryDir folder;
    const std::string file = folder.filePath("config.json").toStdString();
    QVERIFY(writeFileAtomically(file, R"({"model_type":"gpt2","n_layer":1})").ok());
    QCOMPARE(modulesFromConfigFile(file).value().modules.size(),
             modulesFromConfigFile(folder.path().toStdString()).value().modules.size());
    QVERIFY(!modulesFromConfigFile(folder.filePath("none").toStdString()).ok());
}

QTEST_APPLESS_MAIN(TstConfigJson)
#include "tst_config_json.moc"
