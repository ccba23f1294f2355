// SPDX-License-Identifier: Apache-2.0
// Runs the built octet-engine and keeps what it said.
#pragma once

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
    [[nodiscard]] Json json() const {
        auto parsed = parseJson(out.toStdString(), "standard output");
        if (!parsed) qFatal("no JSON: %s", qPrintable(out + err));
        return *parsed;
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

inline Outcome outcomeOf(QProcess& process) {
    if (!process.waitForFinished(60000)) qFatal("octet-engine did not end: %s", qPrintable(process.errorString()));
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

}  // namespace octet::tests
