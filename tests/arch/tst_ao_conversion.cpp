// SPDX-License-Identifier: Apache-2.0
// Which Linears torchao converts, through Accelerate and under the filters of torchao and torchtitan, against golden
// runs of torchao 0.18.0 and accelerate 1.15.0.
#include <QtTest>
#include <map>

#include "engine/arch/ao_conversion.h"
#include "engine/core/json.h"
#include "tests/support/golden_modules.h"

using namespace octet;
using namespace octet::arch;

namespace {

AoFilter byName(std::vector<std::string> names) {
    return {.skipFirstAndLast = false, .names = std::move(names)};
}

AoFilter automatic(AutoFilter thresholds, std::vector<std::string> parts) {
    return {.skipFirstAndLast = false, .nameParts = std::move(parts), .thresholds = thresholds, .replacesRoot = true};
}

/// The keys of "results" that belong to torchao, with the filter each of them means.
const std::map<std::string, AoFilter>& goldenFilters() {
    static const std::map<std::string, AoFilter> filters{
        {"ao", {}},
        {"ao, all-gather", {}},
        {"ao, exported filter", byName({})},
        {"ao, shape only", byName({})},
        {"ao, skip lm_head and classifier by name", byName({"lm_head", "classifier"})},
        {"torchao, no filter", {.skipFirstAndLast = false, .widthsMultipleOf16 = false, .replacesRoot = true}},
        {"torchao auto tensorwise, names []", automatic(AutoFilter::Tensorwise, {})},
        {"torchao auto tensorwise, names ['lm_head', 'classifier']",
         automatic(AutoFilter::Tensorwise, {"lm_head", "classifier"})},
        {"torchao auto tensorwise, names ['output', 'gate']", automatic(AutoFilter::Tensorwise, {"output", "gate"})},
        {"torchao auto rowwise, names []", automatic(AutoFilter::Rowwise, {})},
        {"torchao auto rowwise, names ['lm_head', 'classifier']",
         automatic(AutoFilter::Rowwise, {"lm_head", "classifier"})},
        {"torchao auto rowwise, names ['output', 'gate']", automatic(AutoFilter::Rowwise, {"output", "gate"})},
    };
    return filters;
}

}  // namespace

class TstAoConversion : public QObject {
    Q_OBJECT

private slots:
    void conversionEqualsTorchao_data();
    void conversionEqualsTorchao();
    void everyGoldenOptionHasAFilter();
    void everyDecisionHasASentence();
    void thresholdsSayTheirRule();
};

void TstAoConversion::conversionEqualsTorchao_data() {
    QTest::addColumn<QByteArray>("model");
    const Json all = tests::goldenJson("layer_conversion.json");
    for (const Json& model : all["models"]) {
        QTest::newRow(model["model"].get<std::string>().c_str()) << QByteArray::fromStdString(model.dump());
    }
    qInfo("layer_conversion.json: %zu models x %zu torchao filters", all["models"].size(), goldenFilters().size());
}

void TstAoConversion::conversionEqualsTorchao() {
    QFETCH(QByteArray, model);
    const Json json = parseJson(model.toStdString(), "row").value();
    const auto modules = tests::modulesOf(json);
    for (const auto& [name, filter] : goldenFilters()) {
        const auto decisions = convertForAo(modules, filter);
        QCOMPARE(decisions.size(), modules.size());
        std::vector<std::string> converted;
        for (size_t i = 0; i < modules.size(); ++i) {
            if (decisions[i].converted) converted.push_back(modules[i].name);
        }
        QVERIFY2(converted == json["results"][name]["converted"].get<std::vector<std::string>>(), name.c_str());
    }
}

void TstAoConversion::everyGoldenOptionHasAFilter() {
    const Json all = tests::goldenJson("layer_conversion.json");
    for (const auto& option : all["options"].items()) {
        const bool isTe = option.key() == "te" || option.key().starts_with("te,");
        QVERIFY2(isTe || goldenFilters().contains(option.key()), option.key().c_str());
    }
}

void TstAoConversion::everyDecisionHasASentence() {
    const Json all = tests::goldenJson("layer_conversion.json");
    for (const Json& model : all["models"]) {
        for (const TeDecision& decision : convertForAo(tests::modulesOf(model)))
            QVERIFY2(decision.reason.ends_with('.'), decision.reason.c_str());
    }
}

void TstAoConversion::thresholdsSayTheirRule() {
    const Module small{"a", ModuleKind::Linear, {1024, 4096}, false, true};
    const Module wide{"b", ModuleKind::Linear, {4112, 2048}, false, true};
    QVERIFY(belowThreshold(small, AutoFilter::Tensorwise).find("1,024") != std::string::npos);
    QVERIFY(belowThreshold(small, AutoFilter::Rowwise).find("outputs up to 2,048") != std::string::npos);
    QVERIFY(belowThreshold(wide, AutoFilter::Tensorwise).empty());
    QVERIFY(belowThreshold(wide, AutoFilter::Rowwise).empty());
}

QTEST_APPLESS_MAIN(TstAoConversion)
#include "tst_ao_conversion.moc"
