// SPDX-License-Identifier: Apache-2.0
// Every row of a recorded run of accelerate 1.15.0 with Transformer Engine 2.20.2 (and 1.13, 2.1, 2.2) and torchao
// 0.18.0, fed through the door that takes the same fields, environment, file or flags. Recorded by the project's peer
// scripts, which run those libraries on a CPU with stubbed kernels.
#include <QTest>

#include "engine/core/yaml.h"
#include "engine/recipe/accelerate_run.h"
#include "engine/recipe/ao_config.h"
#include "engine/recipe/schema.h"
#include "tests/support/golden.h"

using namespace octet;
using namespace octet::recipe;
using Class = HandlerCall::Class;

namespace {

const Json& golden() {
    static const Json all = tests::goldenJson("accelerate_effective.json");
    return all;
}

Target targetOf(const Json& row) {
    Target target;
    target.computeCapability = row.value("gpu", "blackwell") == "hopper" ? "9.0" : "10.0";
    target.transformerEngine = row.value("transformer_engine", "2.20.2");
    return target;
}

Environment environmentOf(const Json& object) {
    Environment environment;
    for (const auto& [name, value] : object.items())
        environment[name] = value.get<std::string>();
    return environment;
}

/// The model of the recorded runs: three Linears of 32 x 32, one after the other.
std::vector<arch::Module> threeLinears() {
    std::vector<arch::Module> modules{{"", arch::ModuleKind::Other, {}}};
    for (const char* name : {"0", "1", "2"})
        modules.push_back({name, arch::ModuleKind::Linear, {32, 32}});
    return modules;
}

/// torchao's short form; a disabled cast keeps granularity and type.
std::string castName(AoCast cast, const char* disabledType) {
    return cast == AoCast::Disabled ? std::string("dis_ten_") + disabledType : nameOf(cast);
}

Json configJson(const AoFloat8& config) {
    return {{"input", castName(config.input, "e4m3")},
            {"weight", castName(config.weight, "e4m3")},
            {"grad_output", castName(config.gradOutput, "e5m2")},
            {"input_for_grad_weight", castName(config.inputForGradWeight, "e4m3")},
            {"weight_for_grad_input", castName(config.weightForGradInput, "e4m3")},
            {"grad_output_for_grad_weight", castName(config.gradOutputForGradWeight, "e4m3")},
            {"fast_accum", config.useFastAccum},
            {"enable_fsdp_float8_all_gather", config.enableFsdpFloat8AllGather},
            {"pad_inner_dim", config.padInnerDim},
            {"emulate", config.emulate},
            {"round_scales_to_power_of_2", config.roundScalesToPowerOf2}};
}

/// The run in the words of the recorded rows, with just the keys that the row has.
Json asRow(const AccelerateRun& run, const Json& row) {
    const Json full = {
        {"environment", run.environment},
        {"backend", run.backend},
        {"fp8_enabled", run.fp8Enabled},
        {"fields", run.fields},
        {"differs_from_default", run.differs},
        {"passed_to_te", run.passedToTe},
        {"autocast_train", run.autocastTrain},
        {"autocast_eval", run.autocastEval},
        {"recipe", run.recipe},
        {"converted", run.converted},
        {"parameters_the_optimizer_does_not_hold", weightsOutsideOptimizer(run, threeLinears(), targetOf(row))},
        {"ao_config", run.aoConfig ? configJson(*run.aoConfig) : Json()},
        {"stage", run.stop ? Json(run.stop->stage) : Json()},
        {"error", run.stop ? Json(run.stop->exception) : Json()},
        {"meaning", run.stop ? Json(trapText(run.stop->trap)) : Json()},
        {"warnings", run.warnsOfInterval ? Json::array({"DeprecationWarning"}) : Json::array()}};
    Json same = Json::object();
    for (const auto& [key, value] : row.items()) {
        if (full.contains(key)) same[key] = full[key];
    }
    return same;
}

/// What the row says of the outcome; inputs and names of the row stay out.
Json outcomeOf(const Json& row) {
    Json outcome = row;
    for (const char* input :
         {"gpu", "asked", "env", "file", "argv", "exported", "name", "mixed_precision", "transformer_engine"})
        outcome.erase(input);
    return outcome;
}

void compare(const AccelerateRun& run, const Json& row) {
    const Json found = asRow(run, row), wanted = outcomeOf(row);
    QVERIFY2(run.stop.has_value() == row.contains("error"), run.stop ? trapText(run.stop->trap) : "no stop");
    QVERIFY2(found == wanted, ("found  " + found.dump() + "\nwanted " + wanted.dump()).c_str());
    if (!run.stop) return;
    const Error error = stopError(*run.stop, targetOf(row));
    QVERIFY2(error.message.find('{') == std::string::npos && error.message.ends_with("."), error.message.c_str());
    QVERIFY2(!error.hint.empty(), error.message.c_str());
}

/// The recorded arguments hold tuples as lists. Only [false, false, false] makes a difference: of the Python rows it is
/// a list, of the environment rows the tuple that equals the default.
HandlerCall teCall(const Json& row, bool listsAreLists) {
    HandlerCall call;
    call.arguments = row["asked"];
    call.overrideIsList = listsAreLists && call.arguments.contains("override_linear_precision") &&
                          call.arguments["override_linear_precision"] == Json::array({false, false, false});
    return call;
}

AoFloat8 named(AoConfig config) {
    AoRecipe recipe;
    recipe.config = config;
    return float8ConfigOf(recipe);
}

/// The recipe objects of the rows of the table "handlers", by the row's name.
std::map<std::string, std::vector<HandlerCall>> recordedHandlers() {
    const HandlerCall te, ao{Class::Ao}, msamp{Class::Msamp};
    const auto legacy = [](const Json& arguments) { return HandlerCall{Class::Legacy, arguments}; };
    const auto with = [](AoConfig config) { return HandlerCall{Class::Ao, Json::object(), named(config)}; };
    HandlerCall flagsOff = ao, flagged = with(AoConfig::Tensorwise);
    flagsOff.arguments = {{"pad_inner_dim", false}, {"enable_fsdp_float8_all_gather", false}};
    flagged.arguments = {{"pad_inner_dim", true}};
    HandlerCall gathered = with(AoConfig::Rowwise);
    gathered.config->enableFsdpFloat8AllGather = true;
    return {{"TE defaults", {te}},
            {"TE beats env AO", {te}},
            {"AO defaults", {ao}},
            {"AO both flags false", {flagsOff}},
            {"AO explicit config, flags ignored", {flagged}},
            {"AO recipe tensorwise", {with(AoConfig::Tensorwise)}},
            {"AO recipe rowwise", {with(AoConfig::Rowwise)}},
            {"AO recipe rowwise_with_gw_hp", {with(AoConfig::RowwiseWithGwHp)}},
            {"AO rowwise with float8 all-gather", {gathered}},
            {"AO env pad off", {ao}},
            {"AO env all-gather off", {ao}},
            {"AO and TE", {ao, te}},
            {"TE twice", {te, te}},
            {"TE without fp8", {te}},
            {"MSAMP defaults", {msamp}},
            {"no handler, nothing set", {}},
            {"no handler, env TE", {}},
            {"no handler, env te", {}},
            {"env TE but bf16", {}},
            {"env AO but bf16", {}},
            {"legacy TE", {legacy({{"backend", "TE"}, {"amax_compute_algo", "max"}})}},
            {"legacy te", {legacy({{"backend", "te"}})}},
            {"legacy MSAMP", {legacy({{"backend", "MSAMP"}})}},
            {"legacy AO", {legacy({{"backend", "AO"}})}}};
}

AccelerateRun runRow(const std::string& table, const Json& row) {
    const Target target = targetOf(row);
    if (table == "python" || table == "older_te") return runTeArguments(teCall(row, true), {}, target);
    if (table == "environment") return runTeArguments(teCall(row, false), environmentOf(row["env"]), target);
    if (table == "handlers") {
        const auto handlers = recordedHandlers();
        return runAccelerator(handlers.at(row["name"]), row["mixed_precision"], environmentOf(row["env"]), target);
    }
    std::vector<std::string> flags;
    for (const Json& word : row.value("argv", Json::array()))
        flags.push_back(word);
    const Environment exported = environmentOf(row.value("exported", Json::object()));
    if (!row.contains("file")) return runLaunch(nullptr, flags, exported, target);
    const MarkedValue file = parseYaml(row["file"].get<std::string>(), "file").value();
    return runLaunch(&file, flags, exported, target);
}

}  // namespace

class TstAccelerateEffective : public QObject {
    Q_OBJECT

private slots:
    void everyRecordedRowComesOutTheSame_data();
    void everyRecordedRowComesOutTheSame();
    void noRowIsLeftOut();
    void differsFromTheRecordedVersions_data();
    void differsFromTheRecordedVersions();
    void runTypesChangeWhatHappens_data();
    void runTypesChangeWhatHappens();

private:
    size_t m_rows = 0;
};

void TstAccelerateEffective::everyRecordedRowComesOutTheSame_data() {
    QTest::addColumn<QByteArray>("table");
    QTest::addColumn<int>("index");
    for (const char* table :
         {"python", "environment", "yaml", "command_line", "file_and_flags", "handlers", "older_te"}) {
        for (size_t i = 0; i < golden()[table].size(); ++i)
            QTest::addRow("%s %zu", table, i) << QByteArray(table) << int(i);
    }
}

void TstAccelerateEffective::everyRecordedRowComesOutTheSame() {
    QFETCH(QByteArray, table);
    QFETCH(int, index);
    const Json& row = golden()[table.toStdString()][static_cast<size_t>(index)];
    compare(runRow(table.toStdString(), row), row);
    ++m_rows;
}

void TstAccelerateEffective::noRowIsLeftOut() {
    qInfo("accelerate_effective.json: %zu rows", m_rows);
    QCOMPARE(m_rows, size_t{409});
}

void TstAccelerateEffective::differsFromTheRecordedVersions_data() {
    QTest::addColumn<QString>("accelerate");
    QTest::addColumn<bool>("allGather");
    QTest::newRow("torchao's own defaults before 1.13") << "1.12.0" << false;
    QTest::newRow("both switches on from 1.13") << "1.13.0" << true;
}

void TstAccelerateEffective::differsFromTheRecordedVersions() {
    QFETCH(QString, accelerate);
    QFETCH(bool, allGather);
    Target target;
    target.accelerate = accelerate.toStdString();
    const AccelerateRun run = runAccelerator({{Class::Ao}}, "fp8", {}, target);
    QCOMPARE(run.aoConfig->enableFsdpFloat8AllGather, allGather);
    QCOMPARE(run.aoConfig->padInnerDim, allGather);
}

void TstAccelerateEffective::runTypesChangeWhatHappens_data() {
    QTest::addColumn<QString>("parallel");
    QTest::addColumn<bool>("converted");
    QTest::addColumn<bool>("autocast");
    QTest::addColumn<QString>("format");
    QTest::newRow("one process") << "none" << true << true << "E4M3";
    QTest::newRow("DDP") << "ddp" << true << true << "E4M3";
    QTest::newRow("FSDP2 swaps layers and never enters FP8") << "fsdp2" << true << false << "E4M3";
    QTest::newRow("DeepSpeed takes TE's defaults") << "deepspeed" << true << true << "HYBRID";
    QTest::newRow("Megatron is left alone") << "megatron" << false << false << "";
}

void TstAccelerateEffective::runTypesChangeWhatHappens() {
    QFETCH(QString, parallel);
    QFETCH(bool, converted);
    QFETCH(bool, autocast);
    QFETCH(QString, format);
    Target target;
    target.parallel = parallel.toStdString();
    const HandlerCall call{Class::Te, {{"fp8_format", "E4M3"}}};
    const AccelerateRun run = runAccelerator({call}, "fp8", {}, target);
    QCOMPARE(run.converted, converted);
    QCOMPARE(run.autocastTrain, autocast);
    QCOMPARE(run.recipe.is_null() ? QString() : QString::fromStdString(run.recipe["fp8_format"]), format);
    const HandlerCall old{Class::Legacy, {{"backend", "TE"}, {"fp8_format", "E4M3"}}};
    if (parallel == "deepspeed") {
        const AccelerateRun honoured = runAccelerator({old}, "fp8", {}, target);
        QVERIFY(honoured.recipe["fp8_format"] == "E4M3");
    }
}

QTEST_APPLESS_MAIN(TstAccelerateEffective)
#include "tst_accelerate_effective.moc"
