// SPDX-License-Identifier: Apache-2.0
// A machine made of small scripts: a copy of packaging/ in a temporary folder, and a PATH with nothing but the tools it
// really needs and stand-ins for those that look at or change the machine (uname, id, dpkg-query, apt-get, cmake ...).
#pragma once

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

class BareMachine {
public:
    struct Outcome {
        int exitCode = -1;
        QString out;
        QString err;
    };

    BareMachine() {
        QDir dir(m_dir.path());
        for (const char* name : {"bin", "home", "project/packaging", "wheels"})
            dir.mkpath(name);
        const QDir from(QStringLiteral(OCTET_SOURCE_DIR "/packaging"));
        for (const QString& name : from.entryList(QDir::Files))
            QFile::copy(from.filePath(name), path("project/packaging/" + name));
        // What the scripts may rely on: coreutils, util-linux and the like, which every Debian has.
        for (const char* tool : {"bash", "sh",    "awk",       "cat",   "comm", "cp",    "cut",    "date",  "dirname",
                                 "env",  "flock", "getent",    "grep",  "head", "mkdir", "mktemp", "mv",    "nproc",
                                 "rm",   "sed",   "sha256sum", "sleep", "sort", "stat",  "tail",   "touch", "tr"}) {
            QFile::link(QStandardPaths::findExecutable(tool), path(QString("bin/") + tool));
        }
        script("uname", "echo x86_64");
        script("id", "echo 0");
        script("df", "printf 'head\\n/dev/x 9 9 99000000 1%% /\\n'");
        script("g++", "echo 12");
        script("ldconfig", "exit 0");  // no NVIDIA driver
        script("dpkg-query", "for word; do case $word in -*) ;; *) echo \"installed $word\" ;; esac; done");
        script("apt-get", "echo \"apt-get $*\" >> \"$HOME/calls\"");
        script("cmake", "echo \"cmake $*\" >> \"$HOME/calls\"");
        script("ctest", "echo \"ctest $*\" >> \"$HOME/calls\"");
        write("os-release", "ID=debian\nVERSION_ID=\"12\"\n");
        set("PATH", path("bin"));
        set("HOME", path("home"));
        set("OCTET_OS_RELEASE", path("os-release"));
        set("OCTET_TOOLKIT", path("toolkit"));
        // pip must not look at the network, nor at this machine's settings.
        set("PIP_CONFIG_FILE", "/dev/null");
        set("PIP_NO_INDEX", "1");
        set("PIP_RETRIES", "0");
        set("PIP_FIND_LINKS", path("wheels"));
    }

    [[nodiscard]] QString path(const QString& name) const { return m_dir.filePath(name); }
    void set(const QString& name, const QString& value) { m_environment.insert(name, value); }

    void write(const QString& name, const QByteArray& text) const {
        QFile file(path(name));
        if (file.open(QIODevice::WriteOnly)) file.write(text);
    }

    [[nodiscard]] QString read(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    /// Replaces a program of this machine.
    void script(const QString& name, const QByteArray& body) const { program("bin/" + name, body); }

    void program(const QString& name, const QByteArray& body) const {
        QFile::remove(path(name));
        write(name, "#!/bin/sh\n" + body + "\n");
        QFile::setPermissions(path(name), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    /// A LibTorch that an earlier start has fetched.
    void haveLibtorch() const {
        QDir(m_dir.path()).mkpath("home/.cache/octet/libtorch-2.11.0");
        call("bin/bash", {"-c", "sha256sum < " + path("project/packaging/libtorch.txt") + " | cut -d ' ' -f 1 > " +
                                    path("home/.cache/octet/libtorch-2.11.0/.octet-complete")});
    }

    Outcome run(const QString& name, const QStringList& arguments = {}) const {
        return call("bin/bash", QStringList{path("project/packaging/" + name)} + arguments);
    }

private:
    Outcome call(const QString& program, const QStringList& arguments) const {
        QProcess process;
        process.setProcessEnvironment(m_environment);
        process.setStandardInputFile(QProcess::nullDevice());
        process.start(path(program), arguments);
        if (!process.waitForFinished(60000)) return {-1, QString(), "did not end"};
        return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
                QString::fromUtf8(process.readAllStandardError())};
    }

    QTemporaryDir m_dir;
    QProcessEnvironment m_environment;
};
