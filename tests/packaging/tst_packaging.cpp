// SPDX-License-Identifier: Apache-2.0
// packaging/setup, run and test on machines that are made up: what they refuse and with which sentence, that an
// interrupted or damaged download never looks complete, and what they pass on.
#include <QTest>

#include "tests/packaging/bare_machine.h"

class TstPackaging : public QObject {
    Q_OBJECT
private slots:
    void machinesThatAreRefused_data();
    void machinesThatAreRefused();
    void systemsThatAreAccepted_data();
    void systemsThatAreAccepted();
    void missingPackagesAreNamedAndInstalled();
    void packagesAreRealOnes();
    void packagesAreInstalledThroughSudo();
    void aptFailures_data();
    void aptFailures();
    void wheelFailures_data();
    void wheelFailures();
    void wheelsAreFetchedOnce();
    void changedSumsFetchAgain();
    void cudaIsFetchedWhereADriverIs_data();
    void cudaIsFetchedWhereADriverIs();
    void damagedCudaWheelsChangeNothing();
    void compilerThatCameLaterIsConfigured();
    void configuresOnceForOneLibtorch();
    void testPassesItsArgumentsToCtest();
    void runPassesItsArgumentsToTrain_data();
    void runPassesItsArgumentsToTrain();
};

namespace {

const QString kLibtorch = "home/.cache/octet/libtorch-2.11.0";

void compareMessage(const BareMachine::Outcome& outcome, int exitCode, const QString& mentioned) {
    QVERIFY2(outcome.err.contains(mentioned), qPrintable("error output: " + outcome.err + "\noutput: " + outcome.out));
    QCOMPARE(outcome.exitCode, exitCode);
    const QString last = outcome.err.trimmed().section('\n', -1);
    QVERIFY2(last.startsWith("packaging: "), qPrintable(last));
}

const QByteArray kDriver = "echo '\tlibcuda.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libcuda.so.1'";

/// Small wheels with LibTorch's and CUDA's names, and their sums in the lists that packaging reads.
void makeWheels(const BareMachine& machine) {
    QProcess python;
    python.start("/usr/bin/python3", {OCTET_SOURCE_DIR "/tests/packaging/make_wheels.py", machine.path("wheels")});
    QVERIFY(python.waitForFinished());
    QCOMPARE(python.exitCode(), 0);
    for (const char* list : {"libtorch.txt", "cuda-compiler.txt", "cuda-libraries.txt"})
        machine.write(QString("project/packaging/") + list, machine.read(QString("wheels/") + list).toUtf8());
}

/// cmake as far as configure() looks at it: a build file and the five lines of the cache.
const QByteArray kCmake = R"(echo "cmake $*" >> "$HOME/calls"
case " $* " in *" --build "*) exit 0 ;; esac
while [ $# -gt 0 ]; do
    case $1 in -B) build=$2 ;; -S) source=$2 ;; -DOCTET_LIBTORCH=*) torch=${1#*=} ;; esac
    shift
done
mkdir -p "$build"
touch "$build/build.ninja"
printf '%s\n' "CMAKE_HOME_DIRECTORY:INTERNAL=$source" "OCTET_LIBTORCH:PATH=$torch" OCTET_TRAIN:BOOL=ON \
    OCTET_TESTS:BOOL=ON OCTET_WINDOW:BOOL=ON CMAKE_GENERATOR:INTERNAL=Ninja > "$build/CMakeCache.txt")";

}  // namespace

void TstPackaging::machinesThatAreRefused_data() {
    QTest::addColumn<QString>("program");  // replaced; "os-release" for the file
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const char* program, const char* text, const char* sentence) {
        QTest::newRow(name) << QString(program) << QByteArray(text) << QString(sentence);
    };
    row("another architecture", "uname", "echo aarch64", "Expected an x86_64 machine; found aarch64.");
    row("Fedora", "os-release", "ID=fedora\nVERSION_ID=40\n", "Expected Debian 12 or a relative; found fedora 40.");
    row("Debian 11", "os-release", "ID=debian\nVERSION_ID=\"11\"\n", "Expected debian 12 or newer; found debian 11.");
    row("Ubuntu 22.04", "os-release", "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"22.04\"\n",
        "Expected ubuntu 24.04 or newer; found ubuntu 22.04.");
    row("a system without a name", "os-release", "", "found an unnamed system");
    row("g++ 11", "g++", "echo 11", "Expected g++ 12 or newer; found g++ 11.");
    row("g++ with a long version", "g++", "echo 9.4.0", "Expected g++ 12 or newer; found g++ 9.4.0.");
    row("a full disk", "df", "printf 'head\\n/dev/x 9 9 1048576 1%% /\\n'", "found 1024 MB. Free some space");
    row("neither root nor sudo", "id", "echo 1000",
        "to run as root or with sudo, to install Debian packages; found neither.");
}

void TstPackaging::machinesThatAreRefused() {
    QFETCH(QString, program);
    QFETCH(QByteArray, text);
    QFETCH(QString, sentence);
    BareMachine machine;
    if (program == "os-release") {
        machine.write(program, text);
    } else {
        machine.script(program, text);
    }
    if (program == "id") machine.script("dpkg-query", "exit 1");
    compareMessage(machine.run("setup"), 2, sentence);
    QVERIFY2(!QFile::exists(machine.path("project/build")), "something was done before the refusal");
    QVERIFY(machine.read("home/calls").isEmpty());
}

void TstPackaging::systemsThatAreAccepted_data() {
    QTest::addColumn<QByteArray>("osRelease");
    QTest::newRow("Debian 12") << QByteArray("ID=debian\nVERSION_ID=\"12\"\n");
    QTest::newRow("Debian 13") << QByteArray("ID=debian\nVERSION_ID=\"13\"\n");
    QTest::newRow("Debian testing has no version") << QByteArray("ID=debian\n");
    QTest::newRow("Ubuntu 24.04") << QByteArray("ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n");
    QTest::newRow("a relative of Ubuntu") << QByteArray("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"22\"\n");
    QTest::newRow("a relative of Debian") << QByteArray("ID=raspbian\nID_LIKE=debian\nVERSION_ID=\"12\"\n");
}

void TstPackaging::systemsThatAreAccepted() {
    QFETCH(QByteArray, osRelease);
    BareMachine machine;
    machine.write("os-release", osRelease);
    const auto outcome = machine.run("setup", {"--check"});
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.err));
    QVERIFY(outcome.out.contains("Debian packages to install: none"));
    QVERIFY(outcome.out.contains("LibTorch: to be fetched into " + machine.path(kLibtorch)));
    QVERIFY2(!QFile::exists(machine.path("project/build")), "--check changed something");
}

void TstPackaging::missingPackagesAreNamedAndInstalled() {
    BareMachine machine;
    machine.haveLibtorch();
    machine.script("cmake", kCmake);
    // dpkg knows ccache as removed, and cmake not at all.
    machine.script("dpkg-query",
                   "for word; do case $word in -* | cmake) ;; ccache) echo 'config-files ccache' ;; "
                   "*) echo \"installed $word\" ;; esac; done; exit 1");
    const auto outcome = machine.run("setup");
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.err));
    QVERIFY2(outcome.out.contains("Debian packages to install: ccache cmake \n"), qPrintable(outcome.out));
    const QStringList calls = machine.read("home/calls").split('\n').filter("apt-get");
    QCOMPARE(calls.size(), 3);
    QCOMPARE(calls[0], QString("apt-get update -q"));
    QVERIFY2(calls[2].endsWith(" ccache cmake"), qPrintable(calls[2]));
    QVERIFY2(calls[2].contains("install -y"), qPrintable(calls[2]));
}

/// A name that another package only provides would count as missing at every start.
void TstPackaging::packagesAreRealOnes() {
    QProcess query;
    query.start("dpkg-query", {"-W", "-f", "${db:Status-Status} ${Package}\n"});
    if (!query.waitForFinished()) QSKIP("needs dpkg-query, and the packages installed");
    const QStringList known = QString::fromUtf8(query.readAllStandardOutput()).split('\n');
    QFile list(QStringLiteral(OCTET_SOURCE_DIR "/packaging/debian-packages.txt"));
    QVERIFY(list.open(QIODevice::ReadOnly));
    int packages = 0;
    for (const QString& line : QString::fromUtf8(list.readAll()).split('\n')) {
        const QString name = line.section('#', 0, 0).trimmed();
        if (name.isEmpty()) continue;
        ++packages;
        QVERIFY2(known.contains("installed " + name), qPrintable(name + " is not installed under this name"));
    }
    QVERIFY(packages > 10);
}

void TstPackaging::packagesAreInstalledThroughSudo() {
    BareMachine machine;
    machine.haveLibtorch();
    machine.script("cmake", kCmake);
    machine.script("id", "echo 1000");
    machine.script("sudo", "echo \"sudo $*\" >> \"$HOME/calls\"; exec \"$@\"");
    machine.script("dpkg-query", "exit 1");
    const auto outcome = machine.run("setup");
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.err));
    const QString calls = machine.read("home/calls");
    QCOMPARE(calls.count("sudo env DEBIAN_FRONTEND=noninteractive"), 3);
    QCOMPARE(calls.count("\napt-get "), 3);
}

void TstPackaging::aptFailures_data() {
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("no network")
        << QByteArray("E: Failed to fetch http://deb.debian.org/x  Temporary failure resolving 'deb.debian.org'")
        << "apt-get could not reach the Debian servers";
    QTest::newRow("disk full") << QByteArray("dpkg: error: failed to write: No space left on device")
                               << "the disk is full";
    QTest::newRow("another reason is quoted")
        << QByteArray("E: Unable to locate package ccache") << "(E: Unable to locate package ccache)";
}

void TstPackaging::aptFailures() {
    QFETCH(QByteArray, words);
    QFETCH(QString, sentence);
    BareMachine machine;
    machine.haveLibtorch();
    machine.script("dpkg-query", "exit 1");
    machine.script("apt-get",
                   "case \" $* \" in *' -y '*) ;; *) exit 0 ;; esac\ncat >&2 <<'END'\n" + words + "\nEND\nexit 100");
    compareMessage(machine.run("setup"), 1, sentence);
    QVERIFY(!machine.read("home/calls").contains("cmake"));
}

void TstPackaging::wheelFailures_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("no network") << "offline"
                                << "pip could not fetch the LibTorch wheels";
    QTest::newRow("a wheel with other bytes") << "damaged"
                                              << "of LibTorch does not have the sha256 sum";
    QTest::newRow("a list without sums") << "no sums"
                                         << "pip could not fetch the LibTorch wheels";
    QTest::newRow("disk full") << "full"
                               << "is full. Free 2 GB";
}

void TstPackaging::wheelFailures() {
    QFETCH(QString, kind);
    QFETCH(QString, sentence);
    BareMachine machine;
    if (kind == "damaged") machine.write("wheels/torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl", "other bytes");
    if (kind == "no sums") {
        makeWheels(machine);
        machine.write("project/packaging/libtorch.txt", "torch==2.11.0\n");
    }
    if (kind == "full") {
        machine.script("pip-full",
                       "while [ \"$1\" != --log ]; do shift; done\n"
                       "echo 'OSError: [Errno 28] No space left on device' > \"$2\"\nexit 1");
        machine.set("OCTET_PYTHON", machine.path("bin/pip-full"));
    }
    compareMessage(machine.run("setup"), 1, sentence);
    QVERIFY(!QFile::exists(machine.path(kLibtorch)));
    QCOMPARE(QDir(machine.path("home/.cache/octet")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
             QStringList{"libtorch-2.11.0.lock"});
}

void TstPackaging::wheelsAreFetchedOnce() {
    BareMachine machine;
    machine.script("cmake", kCmake);
    makeWheels(machine);
    // What a start that was killed leaves behind: a half-filled folder beside the final one.
    QDir(machine.path("home")).mkpath(".cache/octet/libtorch-2.11.0.new.abc123/libtorch/torch");

    const auto first = machine.run("setup");
    QVERIFY2(first.exitCode == 0, qPrintable(first.out + first.err));
    QVERIFY(first.out.contains("LibTorch 2.11.0: three wheels from PyPI"));
    QCOMPARE(machine.read(kLibtorch + "/torch/lib/libtorch_cpu.so"), QString("invented"));
    QCOMPARE(machine.read(kLibtorch + "/nvidia/cu13/lib/libcupti.so.13"), QString("invented"));
    QCOMPARE(QDir(machine.path("home/.cache/octet")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
             (QStringList{"libtorch-2.11.0", "libtorch-2.11.0.lock"}));

    machine.set("OCTET_PYTHON", "/bin/false");
    const auto second = machine.run("setup");
    QVERIFY2(second.exitCode == 0, qPrintable(second.out + second.err));
    QVERIFY2(second.out.isEmpty(), qPrintable(second.out));
}

void TstPackaging::changedSumsFetchAgain() {
    BareMachine machine;
    machine.haveLibtorch();
    machine.write("project/packaging/libtorch.txt", "torch==2.12.0 --hash=sha256:00\n");
    const auto outcome = machine.run("setup", {"--check"});
    QVERIFY2(outcome.out.contains("LibTorch: to be fetched"), qPrintable(outcome.out));
}

void TstPackaging::cudaIsFetchedWhereADriverIs_data() {
    QTest::addColumn<QByteArray>("ldconfig");
    QTest::addColumn<QByteArray>("nvcc");  // empty: no toolkit
    QTest::addColumn<QString>("wish");     // OCTET_CUDA
    QTest::addColumn<bool>("libraries");
    QTest::addColumn<bool>("compiler");
    const QByteArray none, nvcc13 = "echo 'Cuda compilation tools, release 13.0, V13.0.88'",
                           nvcc12 = "echo 'Cuda compilation tools, release 12.9, V12.9.1'";
    QTest::newRow("no driver") << QByteArray("exit 0") << none << "" << false << false;
    QTest::newRow("a driver alone") << kDriver << none << "" << true << true;
    QTest::newRow("a driver and CUDA 13") << kDriver << nvcc13 << "" << true << false;
    QTest::newRow("a driver and CUDA 12, which is too old") << kDriver << nvcc12 << "" << true << true;
    QTest::newRow("a driver, but the GPU is to be left alone") << kDriver << none << "OFF" << false << false;
}

void TstPackaging::cudaIsFetchedWhereADriverIs() {
    QFETCH(QByteArray, ldconfig);
    QFETCH(QByteArray, nvcc);
    QFETCH(QString, wish);
    QFETCH(bool, libraries);
    QFETCH(bool, compiler);
    BareMachine machine;
    makeWheels(machine);
    machine.haveLibtorch();
    machine.script("cmake", kCmake);
    machine.script("ldconfig", ldconfig);
    if (!nvcc.isEmpty()) machine.script("nvcc", nvcc);
    if (!wish.isEmpty()) machine.set("OCTET_CUDA", wish);
    QCOMPARE(machine.run("setup", {"--check"}).out.contains("CUDA: to be fetched"), libraries);
    const auto first = machine.run("setup");
    QVERIFY2(first.exitCode == 0, qPrintable(first.out + first.err));
    QCOMPARE(first.out.contains("1.9 GB to download"), libraries);
    QCOMPARE(machine.read(kLibtorch + "/nvidia/nccl/lib/libnccl.so.2") == "invented", libraries);
    QCOMPARE(machine.read(kLibtorch + "/nvidia/cu13/lib/libcublasLt.so.13") == "invented", libraries);
    QCOMPARE(machine.read(kLibtorch + "/nvidia/cu13/bin/nvcc") == "invented", compiler);
    QCOMPARE(QDir(machine.path("home/.cache/octet")).entryList({"*.new.*"}).size(), 0);

    machine.set("OCTET_PYTHON", "/bin/false");
    const auto second = machine.run("setup");
    QVERIFY2(second.exitCode == 0, qPrintable(second.out + second.err));
    QCOMPARE(machine.run("setup", {"--check"}).out.contains("CUDA: complete"), libraries);
}

void TstPackaging::damagedCudaWheelsChangeNothing() {
    BareMachine machine;
    makeWheels(machine);
    machine.haveLibtorch();
    machine.script("ldconfig", kDriver);
    machine.write("wheels/nvidia_nccl_cu13-2.28.9-py3-none-manylinux_2_18_x86_64.whl", "other bytes");
    compareMessage(machine.run("setup"), 1, "of CUDA does not have the sha256 sum");
    QVERIFY(!QFile::exists(machine.path(kLibtorch + "/nvidia")));
    QVERIFY2(!machine.read("home/calls").contains("cmake"), "configured without the libraries");
}

void TstPackaging::compilerThatCameLaterIsConfigured() {
    BareMachine machine;
    makeWheels(machine);
    machine.haveLibtorch();
    machine.script("cmake", kCmake + "\necho OCTET_NVCC:FILEPATH=OCTET_NVCC-NOTFOUND >> \"$build/CMakeCache.txt\"");
    QCOMPARE(machine.run("setup").exitCode, 0);
    QCOMPARE(machine.run("setup").exitCode, 0);
    QCOMPARE(machine.read("home/calls").count("cmake "), 1);
    machine.script("ldconfig", kDriver);
    QCOMPARE(machine.run("setup").exitCode, 0);
    QCOMPARE(machine.read("home/calls").count("cmake "), 2);
}

void TstPackaging::configuresOnceForOneLibtorch() {
    BareMachine machine;
    machine.haveLibtorch();
    machine.script("cmake", kCmake);
    QCOMPARE(machine.run("setup").exitCode, 0);
    QVERIFY(machine.read("home/calls").contains("cmake --fresh -S"));
    QCOMPARE(machine.run("setup").exitCode, 0);
    QCOMPARE(machine.read("home/calls").count("cmake "), 1);
    // Another cache folder: configured again, in the same build folder.
    QVERIFY(QDir(machine.path("home")).rename(".cache", "other"));
    machine.set("OCTET_CACHE", machine.path("home/other/octet"));
    QCOMPARE(machine.run("setup").exitCode, 0);
    QCOMPARE(machine.read("home/calls").count("cmake "), 2);
    QVERIFY(
        machine.read("home/calls").contains("-DOCTET_LIBTORCH=" + machine.path("home/other/octet/libtorch-2.11.0")));

    machine.write("project/build/CMakeCache.txt", "");
    machine.script("cmake", "echo 'CMake Error: no Qt' ; exit 1");
    const auto failed = machine.run("setup");
    compareMessage(failed, 1, "CMake could not configure");
    QVERIFY(failed.err.contains("CMake Error: no Qt"));
}

void TstPackaging::testPassesItsArgumentsToCtest() {
    BareMachine machine;
    machine.haveLibtorch();
    machine.script("cmake", kCmake);
    const auto outcome = machine.run("test", {"-R", "store"});
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.err));
    const QString calls = machine.read("home/calls");
    QVERIFY2(calls.contains("--target all\n"), qPrintable(calls));
    QVERIFY2(
        calls.contains("ctest --test-dir " + machine.path("project/build") + " --output-on-failure -j2 -R store\n"),
        qPrintable(calls));
    machine.script("ctest", "exit 8");
    QCOMPARE(machine.run("test").exitCode, 8);
}

void TstPackaging::runPassesItsArgumentsToTrain_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("trained");  // {store}: today's project
    const QString recipes = " --recipe preset:hybrid-16 --recipe preset:e4m3-16 --recipe preset:baseline";
    QTest::newRow("nothing given") << QStringList{}
                                   << "train --store {store}" + recipes + " --data sample --steps 300 --seeds 1";
    QTest::newRow("steps are replaced") << QStringList{"--steps", "50"}
                                        << "train --steps 50 --store {store}" + recipes + " --data sample --seeds 1";
    QTest::newRow("steps are replaced, with an equals sign")
        << QStringList{"--steps=50"} << "train --steps=50 --store {store}" + recipes + " --data sample --seeds 1";
    QTest::newRow("a recipe replaces the three")
        << QStringList{"--recipe", "my own.json"}
        << "train --recipe my own.json --store {store} --data sample --steps 300 --seeds 1";
    QTest::newRow("a run spec decides everything but the store")
        << QStringList{"--spec", "run.json"} << "train --spec run.json --store {store}";
    QTest::newRow("other options are added")
        << QStringList{"--lr", "1e-4"}
        << "train --lr 1e-4 --store {store}" + recipes + " --data sample --steps 300 --seeds 1";
}

void TstPackaging::runPassesItsArgumentsToTrain() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, trained);
    BareMachine machine;
    machine.haveLibtorch();
    machine.script("cmake", kCmake);
    machine.script("date", "echo 2026-12-01");
    QDir(machine.path("project")).mkpath("build/app");
    machine.program("project/build/app/octet-engine",
                    "echo \"$*\" >> \"$HOME/engine\"\n"
                    "while [ $# -gt 0 ]; do [ \"$1\" != --out ] || echo '{\"margin\": 0}' > \"$2\"; shift; done");
    machine.program("project/build/app/octet", "echo \"$*\" >> \"$HOME/window\"");
    const auto outcome = machine.run("run", arguments);
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.err));
    const QString store = machine.path("home/Octet/2026-12-01.octet");
    const QStringList calls = machine.read("home/engine").split('\n');
    QCOMPARE(calls[0], trained.replace("{store}", store));
    QCOMPARE(calls[1], "compare --store " + store);
    QVERIFY2(calls[2].startsWith("recipe export --recipe preset:hybrid-16 --to accelerate-kwargs --out "),
             qPrintable(calls[2]));
    QVERIFY(outcome.out.contains("{\"margin\": 0}"));
    QVERIFY(machine.read("home/calls").contains("--target octet-engine octet\n"));
    const QString pages = machine.path("home/Octet/2026-12-01");
    QCOMPARE(machine.read("home/window"), QString("--render live --store %1.octet --out %1-live.png\n"
                                                  "--render compare --store %1.octet --out %1-compare.png\n")
                                              .arg(pages));
}

QTEST_GUILESS_MAIN(TstPackaging)
#include "tst_packaging.moc"
