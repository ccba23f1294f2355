// SPDX-License-Identifier: GPL-3.0-or-later
// What both tests of the three clicks share: a worker that is quick, and what must be true at the end.
#pragma once

#include <QFile>
#include <QTableView>
#include <QtTest>

#include "engine/core/files.h"
#include "engine/recipe/recipe_json.h"
#include "ui/documents/project.h"

#ifndef OCTET_ENGINE
#define OCTET_ENGINE ""
#endif

namespace octet::ui::three_clicks {

inline constexpr int kStartMs = 120'000, kTrainMs = 240'000;

template <typename T>
T take(Result<T> result) {
    if (!result) qFatal("%s", result.error().message.c_str());
    return std::move(result).value();
}

/// octet-engine with a small model and 40 instead of 300 steps; everything else is what the window asked for.
inline QString smallWorker(const QString& path) {
    QFile script(path);
    if (!script.open(QIODevice::WriteOnly)) qFatal("can't write %s", qPrintable(path));
    script.write(
        "#!/bin/bash\narguments=()\n"
        "for a in \"$@\"; do [ \"$a\" = 300 ] && a=40; arguments+=(\"$a\"); done\n"
        "exec " OCTET_ENGINE " \"${arguments[@]}\" --model llama:d=64,layers=2,heads=2,ctx=32 --eval-every 10\n");
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
}

inline bool hasLayers(const QTableView& layers) {
    return layers.model() && layers.model()->rowCount() > 2;
}

/// Both exported files load, and they are the preset that was trained.
inline void checkExport(const QString& kwargs, const QString& recipePath) {
    const Json json = take(parseJson(take(readFile(kwargs.toStdString())), "kwargs"));
    const auto exported = take(recipe::loadRecipe(recipePath.toStdString())).recipe;
    QVERIFY(exported == take(recipe::loadRecipe("preset:hybrid-16")).recipe);
    QCOMPARE(json["amax_history_len"].get<int>(), exported.te.amaxHistoryLen);
    QCOMPARE(json["margin"].get<int>(), exported.te.margin);
    QCOMPARE(json["fp8_format"].get<std::string>(), std::string("HYBRID"));
    QCOMPARE(json["amax_compute_algo"].get<std::string>(), std::string("max"));
}

inline bool allDone(const Project& project) {
    int done = 0;
    for (const store::RunInfo& run : project.runs())
        done += !run.hidden && run.state == store::RunState::Done;
    return done == 3;
}

}  // namespace octet::ui::three_clicks
