// SPDX-License-Identifier: Apache-2.0
// Runs the built octet-engine and keeps what it said.
#pragma once

#include <linux/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>
#include <QtTest>

#include "engine/core/json.h"

namespace octet::tests {

struct Outcome {
    int exitCode = -1;
    QString out;
    QString err;

    /// Standard output as JSON; fails the program when it is none.
    [[nodiscard]] Json json() const { return parsed(out); }

    /// One JSON object a line.
    [[nodiscard]] std::vector<Json> jsonLines() const {
        std::vector<Json> objects;
        for (const QString& line : out.split('\n', Qt::SkipEmptyParts))
            objects.push_back(parsed(line));
        return objects;
    }

private:
    [[nodiscard]] Json parsed(const QString& text) const {
        auto json = parseJson(text.toStdString(), "standard output");
        if (!json) qFatal("no JSON: %s", qPrintable(out + err));
        return *json;
    }
};

inline void startEngine(QProcess& process, const QStringList& arguments,
                        const std::vector<std::pair<QString, QString>>& variables = {}) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const auto& [name, value] : variables)
        environment.insert(name, value);
    process.setProcessEnvironment(environment);
    process.start(OCTET_ENGINE, arguments);
}

/// octet-engine behind a line of shell that ends in "$@" (the program and its arguments).
inline void startEngineIn(QProcess& process, const QString& shell, const QStringList& arguments) {
    process.start("/bin/sh", QStringList{"-c", shell, "sh", OCTET_ENGINE} + arguments);
}

/// For a process that is started as root: the rights of files hold for it, as they do for everybody else.
inline void obeyFileRights(QProcess& process) {
    process.setChildProcessModifier([] {
        if (geteuid() != 0) return;
        for (const unsigned long right : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH})
            if (prctl(PR_CAPBSET_DROP, right) != 0) _exit(99);
    });
}

inline Outcome outcomeOf(QProcess& process) {
    if (!process.waitForFinished(120000)) qFatal("octet-engine did not end: %s", qPrintable(process.errorString()));
    if (process.exitStatus() != QProcess::NormalExit) qFatal("octet-engine crashed");
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

inline Outcome runEngine(const QStringList& arguments, const std::vector<std::pair<QString, QString>>& variables = {}) {
    QProcess process;
    startEngine(process, arguments, variables);
    return outcomeOf(process);
}

inline void writeFile(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("can't write %s", qPrintable(path));
}

inline QByteArray readBytes(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("can't read %s", qPrintable(path));
    return file.readAll();
}

/// Steps of the smallest Llama on made text: a few milliseconds each.
inline QStringList tinyTraining(const QString& store, int steps) {
    return {"train",
            "--store",
            store,
            "--model",
            "llama:d=32,layers=1,heads=2,ctx=16",
            "--data",
            "synthetic:1",
            "--steps",
            QString::number(steps),
            "--batch",
            "4",
            "--threads",
            "1"};
}

}  // namespace octet::tests
