// SPDX-License-Identifier: GPL-3.0-or-later
// octet --render: sizes and scale of the picture, that something is drawn in the theme that was asked for, and what it
// says about wrong arguments. Each picture is made by a program of its own: it sets the platform itself.
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <set>

#include "tests/app/sample_store.h"

using octet::tests::SampleStore;

namespace {

struct Drawn {
    int exitCode = -1;
    QString words;
};

/// @param arguments  of octet
Drawn runOctet(const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "QT_SCALE_FACTOR"})
        environment.remove(QLatin1String(variable));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(OCTET_WINDOW_PROGRAM), arguments);
    if (!process.waitForFinished(60000)) qFatal("octet did not end");
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardError())};
}

/// How many colours a picture has: an empty place has few.
size_t coloursIn(const QImage& image) {
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3)
            colours.insert(image.pixel(x, y));
    return colours.size();
}

}  // namespace

class TstRender final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void pictures_data();
    void pictures();
    void wrongArguments_data();
    void wrongArguments();

private:
    QTemporaryDir m_folder;
    QString m_store;
};

void TstRender::initTestCase() {
    qputenv("XDG_CONFIG_HOME", m_folder.filePath(QStringLiteral("config")).toUtf8());
    m_store = m_folder.filePath(QStringLiteral("a.octet"));
    SampleStore sample(m_store.toStdString());
    const auto experiment = sample.addExperiment("three");
    sample.addRun(experiment, {"hybrid-16", 2.02f});
    sample.addRun(experiment, {"e4m3-16", 2.04f});
    sample.addRun(experiment, {"baseline", 2});
}

void TstRender::pictures_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("dark");
    const auto row = [](const char* name, const QString& arguments, QSize size, bool dark) {
        QTest::newRow(name) << arguments.split(QLatin1Char(' ')) << size << dark;
    };
    row("home needs no store", "home", {1280, 800}, false);
    row("recipe, dark", "recipe --theme dark", {1280, 800}, true);
    row("recipe with another recipe", "recipe --recipe preset:accelerate-default", {1280, 800}, false);
    row("live at scale 2", "live --store S --size 1024x700 --scale 2", {2048, 1400}, false);
    row("compare, dark and large", "compare --store S --size 1600x900 --theme dark", {1600, 900}, true);
}

void TstRender::pictures() {
    QFETCH(QStringList, arguments);
    QFETCH(QSize, size);
    QFETCH(bool, dark);
    arguments.replaceInStrings(QRegularExpression("^S$"), m_store);
    const QString out = m_folder.filePath("picture.png");
    const Drawn drawn = runOctet(QStringList{"--render"} + arguments + QStringList{"--out", out});
    QVERIFY2(drawn.exitCode == 0, qPrintable(drawn.words));
    QVERIFY2(!drawn.words.contains("qt.svg"), qPrintable(drawn.words));  // icons are there
    const QImage image(out);
    QCOMPARE(image.size(), size);
    QVERIFY(coloursIn(image) > 30);
    QCOMPARE(image.pixelColor(size.width() / 2, size.height() - 4).lightness() < 128, dark);
    QFile::remove(out);
    QVERIFY2(!QFile::exists(m_folder.filePath("config/Octet/octet.conf")), "a picture changed the settings");
}

void TstRender::wrongArguments_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("a place that is not one") << "--render files --out O"
                                             << "not \"files\"";
    QTest::newRow("no file to write") << "--render home"
                                      << "--out FILE.png";
    QTest::newRow("compare without a store") << "--render compare --out O"
                                             << "--store PROJECT.octet";
    QTest::newRow("a size without its height") << "--render home --out O --size 1280"
                                               << "WIDTHxHEIGHT";
    QTest::newRow("a scale of zero") << "--render home --out O --scale 0"
                                     << "from 1 to 4";
    QTest::newRow("a theme that is not one") << "--render home --out O --theme blue"
                                             << "light or dark";
    QTest::newRow("an option without its value") << "--render home --out"
                                                 << "--out needs a value";
    QTest::newRow("a store that is not there") << "--render live --out O --store /nowhere/a.octet"
                                               << "/nowhere/a.octet";
    QTest::newRow("a recipe that is not there") << "--render recipe --out O --recipe preset:hybrid-17"
                                                << "hybrid-17";
    QTest::newRow("a folder that is not there") << "--render home --out /nowhere/a.png"
                                                << "/nowhere/a.png";
}

void TstRender::wrongArguments() {
    QFETCH(QString, arguments);
    QFETCH(QString, sentence);
    const QString out = m_folder.filePath("wrong.png");
    QStringList list = arguments.split(' ');
    list.replaceInStrings(QRegularExpression("^O$"), out);
    const Drawn drawn = runOctet(list);
    QVERIFY(drawn.exitCode == 1 || drawn.exitCode == 2);
    QVERIFY2(drawn.words.contains(sentence), qPrintable(drawn.words));
    QVERIFY(!QFile::exists(out));
}

QTEST_GUILESS_MAIN(TstRender)
#include "tst_render.moc"
