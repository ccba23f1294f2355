// SPDX-License-Identifier: Apache-2.0
// Who may include what, which licence stands where, and that our code is compiled without FMA contraction. Invented
// files prove that a broken rule is found; the last tests look at the real tree.
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/layering/include_rules.h"

using octet::layering::brokenIncludeRules;
using octet::layering::brokenLicenceRule;
using octet::layering::includesOf;

class TstLayering : public QObject {
    Q_OBJECT
private slots:
    void forbiddenIncludesAreFound_data();
    void forbiddenIncludesAreFound();
    void allowedIncludesPass_data();
    void allowedIncludesPass();
    void everySpellingOfAnIncludeIsRead();
    void everyBrokenLineIsNamed();
    void licenceRule_data();
    void licenceRule();
    void realTreeKeepsTheIncludeRules();
    void realTreeIncludesFilesThatExist();
    void realTreeHasLicences();
    void engineIsCompiledWithoutContraction();
};

namespace {

QByteArray textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Files of the project's own code, as paths from its root.
QStringList projectFiles(const QStringList& patterns) {
    const QString root = QStringLiteral(OCTET_SOURCE_DIR);
    QStringList files;
    for (const char* folder : {"engine", "app", "ui", "tests", "packaging", ".ci"}) {
        QDirIterator it(root + "/" + folder, patterns, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext())
            files << it.next().mid(root.size() + 1);
    }
    files.sort();
    return files;
}

const QStringList kSources{"*.cpp", "*.h", "*.cu", "*.cuh"};

/// Compares with an empty list, so that a failure prints every line that is wrong.
void verifyNone(const QStringList& broken) {
    if (!broken.isEmpty()) QFAIL(qPrintable("\n" + broken.join("\n")));
}

}  // namespace

void TstLayering::forbiddenIncludesAreFound_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("include");
    QTest::addColumn<QString>("reason");

    const auto row = [](const char* name, const char* path, const char* include, const char* reason) {
        QTest::newRow(name) << QString(path) << QString(include) << QString(reason);
    };
    row("core must not know numerics", "engine/core/a.cpp", "\"engine/numerics/b.h\"", "core must not know numerics");
    row("numerics must not know scaling", "engine/numerics/a.h", "\"engine/scaling/b.h\"", "must not know scaling");
    row("scaling must not know arch", "engine/scaling/a.h", "\"engine/arch/b.h\"", "must not know arch");
    row("arch must not know recipe", "engine/arch/a.h", "\"engine/recipe/b.h\"", "must not know recipe");
    row("recipe must not know series", "engine/recipe/a.h", "\"engine/series/b.h\"", "must not know series");
    row("series must not know store", "engine/series/a.h", "\"engine/store/b.h\"", "must not know store");
    row("store must not know analysis", "engine/store/a.h", "\"engine/analysis/b.h\"", "must not know analysis");
    row("analysis must not know files", "engine/analysis/a.h", "\"engine/files/b.h\"", "must not know files");
    row("files must not know analysis", "engine/files/a.h", "\"engine/analysis/b.h\"", "must not know analysis");
    row("files must not know backend", "engine/files/a.h", "\"engine/backend/b.h\"", "must not know backend");
    row("backend must not know model", "engine/backend/a.cpp", "\"engine/model/b.h\"", "must not know model");
    row("model must not know train", "engine/model/a.cpp", "\"engine/train/b.h\"", "must not know train");
    row("cuda must not know recipe", "engine/cuda/a.cu", "\"engine/recipe/b.h\"", "cuda may use");
    row("cuda must not know model", "engine/cuda/a.cu", "\"engine/model/b.h\"", "cuda may use");
    row("train must not include the plug-in", "engine/train/a.cpp", "\"engine/cuda/b.h\"", "plug-in");
    row("a new part needs a place in the order", "engine/extra/a.cpp", "\"engine/core/b.h\"", "has no place");
    row("nobody uses a part without a place", "engine/train/a.cpp", "\"engine/extra/b.h\"", "has no place");
    row("the engine does not include app", "engine/train/a.cpp", "\"app/b.h\"", "outside engine/");
    row("the engine does not include tests", "engine/core/a.cpp", "\"tests/support/b.h\"", "outside engine/");
    row("the engine does not use Qt classes", "engine/store/a.cpp", "<QString>", "knows Qt");
    row("the engine does not use Qt modules", "engine/store/a.cpp", "<QtCore/QString>", "knows Qt");
    row("the engine does not use Qt headers", "engine/store/a.h", "<qglobal.h>", "knows Qt");
    row("octet-engine does not use Qt", "app/train.cpp", "<QCoreApplication>", "knows Qt");
    row("torch stays out of torch-free parts", "engine/store/a.cpp", "<torch/torch.h>", "torch belongs in");
    row("torch stays out of numerics", "engine/numerics/a.cpp", "<c10/util/Half.h>", "torch belongs in");
    row("torch stays out of a backend header", "engine/backend/a.h", "<ATen/core/Tensor.h>", "torch belongs in");
    row("torch stays out of a model header", "engine/model/a.h", "<ATen/ops/mm.h>", "torch belongs in");
    row("torch stays out of a train header", "engine/train/a.h", "<torch/csrc/autograd/function.h>", "torch belongs");
    row("torch stays out of app", "app/train.cpp", "<torch/torch.h>", "torch belongs in");
    row("torch stays out of the plug-in", "engine/cuda/a.cpp", "<ATen/core/Tensor.h>", "torch belongs in");
    row("a plain header does not pass torch on", "engine/model/a.h", "\"engine/model/b_torch.h\"", "*_torch.h header");
    row("app does not see a torch header", "app/train.cpp", "\"engine/train/b_torch.h\"", "*_torch.h header");
    row("CUDA stays in the plug-in", "engine/backend/a.cpp", "<cuda_runtime.h>", "CUDA belongs");
    row("cuBLASLt stays in the plug-in", "engine/train/a.cpp", "<cublasLt.h>", "CUDA belongs");
    row("ui does not include the backend", "ui/runs/a.cpp", "\"engine/backend/b.h\"", "torch-free");
    row("ui does not include the trainer", "ui/runs/a.cpp", "\"engine/train/b.h\"", "torch-free");
    row("octet.cpp does not include a model", "app/octet.cpp", "\"engine/model/b.h\"", "torch-free");
    row("ui does not include torch", "ui/runs/a.cpp", "<torch/torch.h>", "torch belongs in");
    row("octet-engine does not include ui", "app/train.cpp", "\"ui/shell/b.h\"", "only ui and app/octet.cpp");
    row("ui does not include app", "ui/shell/a.cpp", "\"app/b.h\"", "only app includes app");
    row("app does not include tests", "app/train.cpp", "\"tests/support/b.h\"", "only tests");
    row("a plot does not include QCustomPlot", "ui/plots/a.cpp", "<qcustomplot.h>", "only ui/plots/qcp.h");
    row("a test does not include QCustomPlot", "tests/ui/tst_a.cpp", "<qcustomplot.h>", "only ui/plots/qcp.h");
    row("no include by an absolute path", "engine/core/a.cpp", "\"/usr/include/stdio.h\"", "absolute path");
    row("no angled include by an absolute path", "tests/core/a.cpp", "</opt/x.h>", "absolute path");
    row("no include beside the file", "engine/core/a.cpp", "\"text.h\"", "from its root");
    row("no include upwards", "engine/core/a.cpp", "\"../numerics/b.h\"", "project's root");
    row("no project file in angles", "engine/store/a.cpp", "<engine/core/text.h>", "with quotes");
    row("no include behind a macro", "engine/core/a.cpp", "OCTET_HEADER", "behind a macro");
}

void TstLayering::forbiddenIncludesAreFound() {
    QFETCH(QString, path);
    QFETCH(QString, include);
    QFETCH(QString, reason);
    const std::string text = ("// a file\n#include " + include + "\n").toStdString();
    const auto broken = brokenIncludeRules(path.toStdString(), text);
    QCOMPARE(broken.size(), size_t{1});
    const QString found = QString::fromStdString(broken[0]);
    QVERIFY2(found.contains(reason), qPrintable(found));
    QVERIFY2(found.startsWith(path + ":2 "), qPrintable(found));
}

void TstLayering::allowedIncludesPass_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("include");

    const auto row = [](const char* name, const char* path, const char* include) {
        QTest::newRow(name) << QString(path) << QString(include);
    };
    row("a part includes itself", "engine/core/a.cpp", "\"engine/core/text.h\"");
    row("numerics looks down to core", "engine/numerics/a.cpp", "\"engine/core/text.h\"");
    row("store looks down to series", "engine/store/a.h", "\"engine/series/b.h\"");
    row("analysis looks down to store", "engine/analysis/a.h", "\"engine/store/b.h\"");
    row("train looks down to everything", "engine/train/a.cpp", "\"engine/analysis/b.h\"");
    row("train uses torch in a .cpp", "engine/train/a.cpp", "<torch/csrc/autograd/function.h>");
    row("model uses torch in a *_torch.h", "engine/model/a_torch.h", "<ATen/core/Tensor.h>");
    row("a model .cpp uses a *_torch.h", "engine/model/a.cpp", "\"engine/backend/b_torch.h\"");
    row("cuda looks at the backend interface", "engine/cuda/a.cu", "\"engine/backend/b.h\"");
    row("cuda uses the toolkit", "engine/cuda/a.cu", "<cuda_runtime.h>");
    row("the engine uses the standard library", "engine/core/a.cpp", "<queue>");
    row("the engine uses its libraries", "engine/store/a.cpp", "<SQLiteCpp/SQLiteCpp.h>");
    row("Highway includes the file again", "engine/numerics/a.cpp", "<hwy/foreach_target.h>");
    row("app includes the trainer", "app/train.cpp", "\"engine/train/b.h\"");
    row("the window includes the store", "ui/runs/a.cpp", "\"engine/store/reader.h\"");
    row("octet.cpp includes ui", "app/octet.cpp", "\"ui/shell/b.h\"");
    row("ui uses Qt", "ui/shell/a.cpp", "<QMainWindow>");
    row("qcp.h is the door to QCustomPlot", "ui/plots/qcp.h", "<qcustomplot.h>");
    row("a test uses torch", "tests/model/tst_a.cpp", "<ATen/core/Tensor.h>");
    row("a test includes its moc file", "tests/core/tst_a.cpp", "\"tst_a.moc\"");
    row("a test includes a helper", "tests/store/tst_a.cpp", "\"tests/support/b.h\"");
}

void TstLayering::allowedIncludesPass() {
    QFETCH(QString, path);
    QFETCH(QString, include);
    const auto broken = brokenIncludeRules(path.toStdString(), ("#include " + include + "\n").toStdString());
    QVERIFY2(broken.empty(), broken.empty() ? "" : broken[0].c_str());
}

void TstLayering::everySpellingOfAnIncludeIsRead() {
    const auto found =
        includesOf("#include <a.h>\n  #  include\t\"b.h\" // why\n#if 0\n#include<c>\r\n#include D_H\n#endif");
    QCOMPARE(found.size(), size_t{4});
    QCOMPARE(found[0].name, std::string("a.h"));
    QCOMPARE(found[1].name, std::string("b.h"));
    QCOMPARE(found[2].name, std::string("c"));
    QCOMPARE(found[3].name, std::string("D_H"));
    QVERIFY(found[0].angled && !found[1].angled && found[2].angled && found[3].computed);
    QCOMPARE(found[3].line, 5);
}

void TstLayering::everyBrokenLineIsNamed() {
    const auto broken =
        brokenIncludeRules("engine/core/a.cpp", "#include <QString>\n#include <string>\n#include \"a.h\"\n");
    QCOMPARE(broken.size(), size_t{2});
    QVERIFY(broken[0].starts_with("engine/core/a.cpp:1 ") && broken[1].starts_with("engine/core/a.cpp:3 "));
}

void TstLayering::licenceRule_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("holds");
    const QString apache = "// SPDX-License-Identifier: Apache-2.0\n";
    const QString gpl = "// SPDX-License-Identifier: GPL-3.0-or-later\n";
    QTest::newRow("engine is Apache") << "engine/core/a.h" << apache << true;
    QTest::newRow("engine is not GPL") << "engine/core/a.h" << gpl << false;
    QTest::newRow("ui is GPL") << "ui/shell/a.h" << gpl << true;
    QTest::newRow("ui is not Apache") << "ui/shell/a.h" << apache << false;
    QTest::newRow("octet.cpp is GPL") << "app/octet.cpp" << gpl << true;
    QTest::newRow("octet_engine.cpp is Apache") << "app/octet_engine.cpp" << apache << true;
    QTest::newRow("tests of ui link it, so they are GPL") << "tests/ui/tst_a.cpp" << gpl << true;
    QTest::newRow("a script has it below its first line") << "packaging/run"
                                                          << "#!/bin/bash\n# SPDX-License-Identifier: Apache-2.0\n"
                                                          << true;
    QTest::newRow("no line at all") << "engine/core/a.h"
                                    << "#pragma once\n"
                                    << false;
    QTest::newRow("a line far down does not count") << "engine/core/a.h"
                                                    << "\n\n\n\n" + apache << false;
}

void TstLayering::licenceRule() {
    QFETCH(QString, path);
    QFETCH(QString, text);
    QFETCH(bool, holds);
    QCOMPARE(brokenLicenceRule(path.toStdString(), text.toStdString()).empty(), holds);
}

void TstLayering::realTreeKeepsTheIncludeRules() {
    const QStringList files = projectFiles(kSources);
    QVERIFY2(files.contains("engine/core/text.cpp"), "the walk does not reach the engine");
    QStringList broken;
    for (const QString& path : files) {
        const QByteArray text = textOf(QStringLiteral(OCTET_SOURCE_DIR "/") + path);
        for (const std::string& line : brokenIncludeRules(path.toStdString(), text.toStdString())) {
            broken << QString::fromStdString(line);
        }
    }
    verifyNone(broken);
}

void TstLayering::realTreeIncludesFilesThatExist() {
    const QString root = QStringLiteral(OCTET_SOURCE_DIR "/");
    QStringList broken;
    int checked = 0;
    for (const QString& path : projectFiles(kSources)) {
        for (const auto& include : includesOf(textOf(root + path).toStdString())) {
            const QString name = QString::fromStdString(include.name);
            if (include.angled || include.computed || name.endsWith(".moc") || name.startsWith("ui_")) continue;
            ++checked;
            if (!QFile::exists(root + name)) broken << path + " includes " + name + ", which is not there";
        }
    }
    QVERIFY(checked > 0);
    verifyNone(broken);
}

void TstLayering::realTreeHasLicences() {
    const QStringList patterns{"*.cpp",          "*.h",  "*.cu", "*.cuh", "*.cmake",
                               "CMakeLists.txt", "*.sh", "run",  "test",  "setup"};
    QStringList broken;
    for (const QString& path : projectFiles(patterns)) {
        const QByteArray text = textOf(QStringLiteral(OCTET_SOURCE_DIR "/") + path);
        const std::string line = brokenLicenceRule(path.toStdString(), text.toStdString());
        if (!line.empty()) broken << QString::fromStdString(line);
    }
    verifyNone(broken);
}

void TstLayering::engineIsCompiledWithoutContraction() {
    const QByteArray text = textOf(QStringLiteral(OCTET_BUILD_DIR "/compile_commands.json"));
    QVERIFY2(!text.isEmpty(), "CMake wrote no compile_commands.json");
    QStringList broken;
    int checked = 0;
    for (const QJsonValue entry : QJsonDocument::fromJson(text).array()) {
        const QString file = entry["file"].toString();
        if (!file.startsWith(QStringLiteral(OCTET_SOURCE_DIR "/engine/"))) continue;
        ++checked;
        const QStringList flags = entry["command"].toString().split(' ');
        if (!flags.contains("-ffp-contract=off")) broken << file + " is compiled without -ffp-contract=off";
        for (const char* fast : {"-ffast-math", "-Ofast", "-funsafe-math-optimizations"}) {
            if (flags.contains(fast)) broken << file + " is compiled with " + fast;
        }
    }
    QVERIFY(checked > 0);
    verifyNone(broken);
}

QTEST_GUILESS_MAIN(TstLayering)
#include "tst_layering.moc"
