// SPDX-License-Identifier: Apache-2.0
// Findings with their place, the repair of just the faulty bytes, and what the repaired file comes to. The files c112,
// c115, c208 and c216 re-create public reports (tests/data/cases).
#include <QTest>

#include "engine/core/encoding.h"
#include "engine/core/files.h"
#include "engine/recipe/export.h"
#include "engine/recipe/lint.h"
#include "tests/support/golden.h"

using namespace octet;
using namespace octet::recipe;

namespace {

const QByteArray kHead =
    "compute_environment: LOCAL_MACHINE\ndistributed_type: \"NO\"\nnum_processes: 1\nmixed_precision: fp8\n";

QByteArray te(const QByteArray& lines) {
    return kHead + "fp8_config:\n  backend: TE\n" + lines;
}

QByteArray ao(const QByteArray& lines) {
    return kHead + "dynamo_config:\n  dynamo_backend: INDUCTOR\nfp8_config:\n  backend: AO\n" + lines;
}

Target blackwell() {
    Target target;
    target.computeCapability = "10.0";
    return target;
}

LintReport lint(const QByteArray& text, const Target& target = blackwell()) {
    return lintText(text.toStdString(), "file", target);
}

/// "9:21 error message hint" of each finding, one a line.
QByteArray said(const LintReport& report) {
    QByteArray text;
    for (const LintFinding& one : report.findings) {
        text += QByteArray::number(one.place.line) + ":" + QByteArray::number(one.place.column) + " " +
                severityName(one.severity) + " " + QByteArray::fromStdString(one.message + " " + one.hint) + "\n";
    }
    return text;
}

QByteArray repaired(const QByteArray& text) {
    const std::string bytes = text.toStdString();
    return QByteArray::fromStdString(repairedText(bytes, lint(text).findings));
}

QByteArray caseText(const char* name) {
    return QByteArray::fromStdString(readFile(tests::dataPath(std::string("cases/") + name)).value());
}

}  // namespace

class TstLint : public QObject {
    Q_OBJECT

private slots:
    void trapsAreFound_data();
    void trapsAreFound();
    void goodFilesHaveNoFinding_data();
    void goodFilesHaveNoFinding();
    void repairChangesJustTheFaultyBytes_data();
    void repairChangesJustTheFaultyBytes();
    void reportedCasesComeOutAsStated_data();
    void reportedCasesComeOutAsStated();
    void repairedCaseTrainsWhatWasMeant();
    void koreanFilesAreRead();
    void octetFilesNameTheKeysPlace_data();
    void octetFilesNameTheKeysPlace();
    void inspectFilesAreChecked_data();
    void inspectFilesAreChecked();
    void repairOfARepairedFileDoesNothing();
};

void TstLint::trapsAreFound_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("finding");  // "line:column severity" and a part of the sentence
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const QByteArray& text, const char* finding, const char* says) {
        QTest::newRow(name) << text << QByteArray(finding) << QByteArray(says);
    };
    row("a dead wizard key", te("  amax_history_length: 16\n"), "7:3 warning", "Write amax_history_len.");
    row("most_recent", te("  amax_compute_algo: most_recent\n"), "7:22 warning", "runs max");
    row("E5M2", te("  fp8_format: E5M2\n"), "7:15 error", "pure E5M2 training is not supported");
    row("E5M2 under the other spelling", te("  format: e5m2\n"), "7:11 error", "E5M2");
    row("a tuple", te("  override_linear_precision: (false, false, true)\n"), "7:30 error", "invalid truth value (()");
    row("a bare boolean", te("  override_linear_precision: false\n"), "7:30 error", "single value");
    row("two of three", te("  override_linear_precision: [true, false]\n"), "7:30 error",
        "three truth values, found 2");
    row("an override without effect", te("  override_linear_precision: [false, false, true]\n"), "7:30 warning",
        "no such field since 2.0");
    row("a lower-case backend", kHead + "fp8_config:\n  backend: te\n", "6:12 error", "Write TE.");
    row("a hyphen", kHead + "fp8_config:\n  backend: MS-AMP\n", "6:12 error", "Write MSAMP.");
    row("NO as backend", kHead + "fp8_config:\n  backend: NO\n", "6:12 error", "\"NO\"");
    row("MS-AMP", kHead + "fp8_config:\n  backend: MSAMP\n", "6:12 warning", "unmaintained");
    row("no backend", kHead + "fp8_config:\n  fp8_format: E4M3\n", "5:1 warning", "torchao before");
    row("an exponent", te("  amax_history_len: 1e3\n"), "7:21 error", "int('1e3')");
    row("a float", te("  margin: 1.0\n"), "7:11 error", "Write 1.");
    row("half", te("  margin: 1.5\n"), "7:11 error", "Write a whole number.");
    row("history 0", te("  amax_history_len: 0\n"), "7:21 error", "1 to 65");
    row("a negative margin", te("  margin: -3\n"), "7:11 warning", "saturate");
    row("an interval", te("  interval: 16\n"), "7:13 warning", "since 2.2");
    row("no truth", te("  use_autocast_during_eval: maybe\n"), "7:29 error", "invalid truth value maybe");
    row("an unknown format", te("  fp8_format: E4M4\n"), "7:15 error", "HYBRID or E4M3");
    row("an unknown key names the nearest", te("  amax_histroy_len: 16\n"), "7:3 warning", "amax_history_len");
    row("a key of another backend", te("  pad_inner_dim: true\n"), "7:3 warning", "only backend AO reads it");
    row("MXFP8 with HYBRID", te("  use_mxfp8_block_scaling: true\n  fp8_format: HYBRID\n"), "8:15 warning",
        "MXFP8 runs E4M3");
    row("MXFP8 with a history", te("  use_mxfp8_block_scaling: true\n  amax_history_len: 16\n"), "8:21 error",
        "together with");
    row("MXFP8 with max", te("  use_mxfp8_block_scaling: true\n  amax_compute_algo: max\n"), "8:22 error",
        "together with");
    row("all-gather without FSDP2", ao("  enable_fsdp_float8_all_gather: true\n"), "9:34 error",
        "optimizer does not hold");
    row("all-gather by default", ao(""), "8:3 error", "on unless switched off");
    row("torchao without compilation", kHead + "fp8_config:\n  backend: AO\n  enable_fsdp_float8_all_gather: false\n",
        "6:3 warning", "torch.compile");
    row("an unquoted NO", "distributed_type: NO\nnum_processes: 1\nmixed_precision: bf16\n", "1:19 warning",
        "boolean false");
    row("an unquoted no", "distributed_type: \"NO\"\nnum_processes: 1\nmixed_precision: no\n", "3:18 error",
        "accelerate launch stops");
    row("no distributed_type", "mixed_precision: fp8\nfp8_config:\n  backend: TE\n", "1:1 error",
        "distributed_type is missing");
    row("no num_processes", "distributed_type: MULTI_GPU\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n",
        "1:19 error", "num_processes is missing");
    row("a recipe key at the top", kHead + "backend: TE\n", "5:1 error", "Move it into fp8_config.");
    row("an unknown top-level key", kHead + "num_machine: 1\n", "5:1 error", "num_machines");
    row("FP8 that is not on", "distributed_type: \"NO\"\nmixed_precision: bf16\nfp8_config:\n  backend: TE\n",
        "3:1 warning", "mixed_precision is bf16");
    row("SageMaker", "compute_environment: AMAZON_SAGEMAKER\ndistributed_type: \"NO\"\nfp8_config:\n  backend: TE\n",
        "3:1 error", "SageMaker");
    row("DeepSpeed",
        "distributed_type: DEEPSPEED\nnum_processes: 2\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n",
        "1:19 error", "FP8RecipeKwargs");
    row("FSDP2 with TE",
        "distributed_type: FSDP\nnum_processes: 2\nmixed_precision: fp8\nfsdp_config:\n  fsdp_version: 2\n"
        "fp8_config:\n  backend: TE\n",
        "1:19 error", "nothing runs in FP8");
    row("FSDP2 with AO and efficient loading",
        "distributed_type: FSDP\nnum_processes: 2\nmixed_precision: fp8\nfsdp_config:\n  fsdp_version: 2\n"
        "fp8_config:\n  backend: AO\n",
        "5:3 error", "fsdp_cpu_ram_efficient_loading: false");
    row("JSON has places too", R"({"distributed_type": "NO", "mixed_precision": "fp8",
  "fp8_config": {"backend": "te"}})",
        "2:29 error", "Write TE.");
    row("a key twice", te("  margin: 1\n  margin: 2\n"), "8:3 error", "line 7");
    row("no recipe at all", "a: 1\n", "0:0 error", "is no recipe");
}

void TstLint::trapsAreFound() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, finding);
    QFETCH(QByteArray, says);
    const QByteArray all = said(lint(text));
    bool found = false;
    for (const QByteArray& line : all.split('\n'))
        found = found || (line.startsWith(finding + " ") && line.contains(says));
    QVERIFY2(found, all.constData());
}

void TstLint::goodFilesHaveNoFinding_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("TE") << te(
        "  fp8_format: HYBRID\n  amax_history_len: 1024\n  amax_compute_algo: max\n  margin: 0\n");
    QTest::newRow("numbers as text") << te("  amax_history_len: '16'\n  margin: 1_0\n");
    QTest::newRow("words in any case") << te("  fp8_format: e4m3\n  amax_compute_algo: MAX\n");
    QTest::newRow("null counts as not set") << te("  amax_history_len: null\n");
    QTest::newRow("an fp8_ prefix") << te("  fp8_margin: 4\n");
    QTest::newRow("MXFP8") << te("  use_mxfp8_block_scaling: true\n  fp8_format: E4M3\n");
    QTest::newRow("AO") << ao("  pad_inner_dim: true\n  enable_fsdp_float8_all_gather: false\n");
    QTest::newRow("AO with FSDP2") << QByteArray(
        "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: fp8\nfsdp_config:\n  fsdp_version: 2\n"
        "  fsdp_cpu_ram_efficient_loading: false\nfp8_config:\n  backend: AO\n"
        "  enable_fsdp_float8_all_gather: true\ndynamo_config:\n  dynamo_backend: INDUCTOR\n");
}

void TstLint::goodFilesHaveNoFinding() {
    QFETCH(QByteArray, text);
    const LintReport report = lint(text);
    QVERIFY2(report.findings.empty(), said(report).constData());
    QVERIFY(report.recipe.has_value());
}

void TstLint::repairChangesJustTheFaultyBytes_data() {
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    const auto row = [](const char* name, const QByteArray& before, const QByteArray& after) {
        QTest::newRow(name) << before << after;
    };
    row("a dead key, comments stay", te("  # how long\n  amax_history_length:   16  # updates\n"),
        te("  # how long\n  amax_history_len:   16  # updates\n"));
    row("a number", te("  amax_history_len: 1.0e+3 # a\n"), te("  amax_history_len: 1000 # a\n"));
    row("a tuple", te("  override_linear_precision: (false, false, true)\n"),
        te("  override_linear_precision: [false, false, true]\n"));
    row("a backend", kHead + "fp8_config: {backend: te, margin: 1e0}\n",
        kHead + "fp8_config: {backend: TE, margin: 1}\n");
    row("CRLF stays",
        "distributed_type: NO\r\nnum_processes: 1\r\nmixed_precision: fp8\r\nfp8_config:\r\n  backend: te\r\n",
        "distributed_type: \"NO\"\r\nnum_processes: 1\r\nmixed_precision: fp8\r\nfp8_config:\r\n  backend: TE\r\n");
    row("a missing distributed_type", "# mine\nmixed_precision: fp8\r\nfp8_config:\r\n  backend: TE\r\n",
        "# mine\ndistributed_type: \"NO\"\r\nmixed_precision: fp8\r\nfp8_config:\r\n  backend: TE\r\n");
    row("all-gather is switched off", ao("  enable_fsdp_float8_all_gather: yes\n"),
        ao("  enable_fsdp_float8_all_gather: false\n"));
    row("JSON",
        "{\"distributed_type\": \"NO\",\n \"mixed_precision\": \"fp8\",\n \"fp8_config\": {\"backend\": \"te\", "
        "\"amax_history_length\": 1024.0}}",
        "{\"distributed_type\": \"NO\",\n \"mixed_precision\": \"fp8\",\n \"fp8_config\": {\"backend\": \"TE\", "
        "\"amax_history_len\": 1024}}");
    row("a live key beside its dead twin is not renamed twice",
        te("  amax_history_length: 16\n  amax_history_len: 8\n"),
        te("  amax_history_length: 16\n  amax_history_len: 8\n"));
    row("Korean comments", te("  margin: 1e0 # \xEC\x97\xAC\xEB\xB0\xB1\n"),
        te("  margin: 1 # \xEC\x97\xAC\xEB\xB0\xB1\n"));
}

void TstLint::repairChangesJustTheFaultyBytes() {
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    QCOMPARE(repaired(before), after);
}

void TstLint::reportedCasesComeOutAsStated_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QStringList>("facts");  // of the findings
    QTest::addColumn<QString>("runs");       // after the repair
    const auto row = [](const char* name, const char* file, const QStringList& facts, const char* runs) {
        QTest::newRow(name) << QByteArray(file) << facts << QString::fromUtf8(runs);
    };
    row("C112 a: text numbers and an unquoted NO", "c112_a_text_numbers.yaml",
        {"2:19 warning", "boolean false", "8:21 error", "int('1e3')", "Write 1000.", "9:11 error", "Write 1."},
        "DelayedScaling(margin=1, fp8_format=HYBRID, amax_history_len=1000, amax_compute_algo=max");
    row("C112 b: a float", "c112_b_float_number.yaml", {"8:21 error", "int('1000.0')", "Write 1000."},
        "DelayedScaling(margin=0, fp8_format=HYBRID, amax_history_len=1000, amax_compute_algo=max");
    row("C216 a: most_recent", "c216_a_most_recent.yaml", {"never passed on"},
        "amax_history_len=16, amax_compute_algo=max");
    row("C216 b: dead keys", "c216_b_dead_keys.yaml",
        {"8:3 warning", "amax_history_len", "9:3 warning", "amax_compute_algo"}, "DelayedScaling");
    row("C216 c: a tuple", "c216_c_tuple.yaml", {"invalid truth value (", "[false, false, false]"}, "DelayedScaling");
    row("C216 d: fields without effect", "c216_d_ignored.yaml",
        {"interval 16 has no effect", "override_linear_precision has no effect"},
        "DelayedScaling(margin=0, fp8_format=HYBRID, amax_history_len=1024, amax_compute_algo=max");
    row("C216 e: E5M2", "c216_e_e5m2.yaml", {"error", "pure E5M2 training is not supported"}, "");
    row("C216 f: MXFP8 with HYBRID", "c216_f_mxfp8_hybrid.yaml", {"HYBRID has no effect", "E4M3"},
        "MXFP8BlockScaling(margin=0, fp8_format=E4M3");
    row("C216 g: lower case", "c216_g_lower_case.yaml", {"capital letters", "Write TE."},
        "DelayedScaling(margin=0, fp8_format=HYBRID");
    row("C216 h: odd values", "c216_h_odd_values.yaml", {"amax_history_len 0", "error", "margin -3", "warning"}, "");
    row("C208: a good file", "c208_recipe.yaml", {},
        "DelayedScaling(margin=0, fp8_format=HYBRID, amax_history_len=1024, amax_compute_algo=max");
}

void TstLint::reportedCasesComeOutAsStated() {
    QFETCH(QByteArray, file);
    QFETCH(QStringList, facts);
    QFETCH(QString, runs);
    const QByteArray text = caseText(file.constData());
    const QByteArray all = said(lint(text));
    for (const QString& fact : facts)
        QVERIFY2(all.contains(fact.toUtf8()), (all + " lacks " + fact.toUtf8()).constData());
    const LintReport after = lint(repaired(text));
    QCOMPARE(after.hasErrors(), runs.isEmpty());
    if (runs.isEmpty()) return;
    QVERIFY(after.recipe.has_value());
    const EffectiveRecipe effective = effectiveRecipe(*after.recipe);
    QVERIFY2(QString::fromStdString(effective.runs).contains(runs), effective.runs.c_str());
}

void TstLint::repairedCaseTrainsWhatWasMeant() {
    const LintReport dead = lint(repaired(caseText("c216_b_dead_keys.yaml")));
    QCOMPARE(dead.recipe->te.amaxHistoryLen, 16);
    const LintReport before = lint(caseText("c216_b_dead_keys.yaml"));
    QCOMPARE(before.recipe->te.amaxHistoryLen, 1024);  // what the file comes to as it stands
    const LintReport onHopper = lint(caseText("c216_f_mxfp8_hybrid.yaml"), Target{});
    QVERIFY2(said(onHopper).contains("compute capability 10.x"), said(onHopper).constData());
}

void TstLint::koreanFilesAreRead() {
    const LintReport good = lint(caseText("c115_레시피 시험 #1 (50%).yaml"));
    QVERIFY2(!good.hasErrors(), said(good).constData());
    QCOMPARE(good.recipe->te.amaxHistoryLen, 32);
    QVERIFY(
        effectiveRecipe(*good.recipe)
            .runs.starts_with("DelayedScaling(margin=0, fp8_format=E4M3, amax_history_len=32, amax_compute_algo=max"));
    const QByteArray cp949 = caseText("c115_cp949.yaml");
    const QByteArray refused = said(lint(cp949));
    QVERIFY2(refused.contains("not UTF-8 at byte 2 (line 1)") && refused.contains("cp949"), refused.constData());
    const auto utf8 = utf8From(cp949.toStdString(), "cp949", "file");
    QVERIFY(utf8.ok());
    QVERIFY(lint(QByteArray::fromStdString(*utf8)).recipe.has_value());
    QVERIFY(!utf8From("a", "cp9490", "file").ok());
    QVERIFY(utf8From("\xFF\xFF", "cp949", "file").error().message.ends_with("at byte 0."));
}

void TstLint::octetFilesNameTheKeysPlace_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("finding");
    QTest::addColumn<QByteArray>("after");
    const auto row = [](const char* name, const char* text, const char* finding, const char* after) {
        QTest::newRow(name) << QByteArray(text) << QByteArray(finding) << QByteArray(after);
    };
    row("an unknown key", "{\"octet_recipe\": 1, \"backend\": \"TE\",\n \"te\": {\"amax_history_length\": 16}}",
        "2:9 error", "{\"octet_recipe\": 1, \"backend\": \"TE\",\n \"te\": {\"amax_history_len\": 16}}");
    row("a value out of range", "{\"octet_recipe\": 1, \"backend\": \"TE\",\n \"te\": {\"margin\": 65}}", "2:9 error",
        "");
    row("a wrong type in a rule",
        "{\"octet_recipe\": 1, \"backend\": \"TE\",\n \"layers\": {\"rules\": [{\"match\": \"a\",\n \"keep\": 3}]}}",
        "3:2 error", "");
    row("a field without effect", "{\"octet_recipe\": 1, \"backend\": \"TE\",\n \"te\": {\"interval\": 4}}",
        "2:9 warning", "");
    row("a refusal", "{\"octet_recipe\": 1, \"backend\": \"TE\",\n \"te\": {\"fp8_format\": \"E5M2\"}}", "2:9 error",
        "");
    row("a refusal that documented takes",
        "{\"octet_recipe\": 1, \"backend\": \"TE\", \"semantics\": \"documented\",\n \"te\": {\"fp8_format\": "
        "\"E5M2\"}}",
        "2:9 warning", "");
}

void TstLint::octetFilesNameTheKeysPlace() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, finding);
    QFETCH(QByteArray, after);
    const QByteArray all = said(lint(text));
    QVERIFY2(all.startsWith(finding + " ") || all.contains("\n" + finding + " "), all.constData());
    if (!after.isEmpty()) QCOMPARE(repaired(text), after);
}

void TstLint::inspectFilesAreChecked_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("finding");
    QTest::addColumn<QByteArray>("says");
    const QByteArray head = "keep:\n  enabled: True\n  layers:\n    layer_types: [fc1]\n  transformer_engine:\n";
    const auto row = [](const char* name, const QByteArray& text, const char* finding, const char* says) {
        QTest::newRow(name) << text << QByteArray(finding) << QByteArray(says);
    };
    row("a good file", head + "    DisableQuantizationGEMM:\n      enabled: True\n      gemms: [dgrad]\n", "", "");
    row("a selector of the documentation",
        QByteArray(head).replace("layer_types", "layer_type") + "    FakeQuant:\n      enabled: True\n", "4:5 error",
        "Write layer_types.");
    row("a feature in other letters", head + "    DisableFp8Gemm:\n      enabled: True\n", "6:5 error", "no feature");
    row("an old name", head + "    DisableFP8Layer:\n      enabled: True\n", "6:5 warning", "DisableQuantizationLayer");
    row("an unknown GEMM", head + "    DisableQuantizationGEMM:\n      enabled: True\n      gemms: [wgrd]\n",
        "8:15 error", "wgrad");
    row("a percent sign is missing", head + "    LogFp8TensorStats:\n      enabled: True\n      stats: [underflows]\n",
        "8:15 error", "underflows%");
    row("an end that ends", head + "    LogTensorStats:\n      enabled: True\n      end_step: -1\n", "8:17 warning",
        "switches logging off");
    row("no layers", "keep:\n  enabled: True\n  transformer_engine:\n    FakeQuant:\n      enabled: True\n",
        "1:1 error", "has no layers");
}

void TstLint::inspectFilesAreChecked() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, finding);
    QFETCH(QByteArray, says);
    const LintReport report = lint(text);
    QCOMPARE(report.form, RecipeForm::Inspect);
    const QByteArray all = said(report);
    if (finding.isEmpty()) QVERIFY2(report.findings.empty(), all.constData());
    QVERIFY2(all.contains(finding) && all.contains(says), all.constData());
}

void TstLint::repairOfARepairedFileDoesNothing() {
    for (const char* name :
         {"c112_a_text_numbers.yaml", "c216_b_dead_keys.yaml", "c216_c_tuple.yaml", "c216_g_lower_case.yaml"}) {
        const QByteArray once = repaired(caseText(name));
        QCOMPARE(lint(once).fixes(), 0);
        QCOMPARE(repaired(once), once);
    }
}

QTEST_APPLESS_MAIN(TstLint)
#include "tst_lint.moc"
