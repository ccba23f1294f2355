// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/dropped_file.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace octet::ui {

DroppedFile classifyFile(const QString& path) {
    const auto words = [](const char* text) { return QCoreApplication::translate("octet::ui::DroppedFile", text); };
    const QFileInfo file(path);
    const QString name = file.fileName();
    if (!file.exists()) return {DroppedFile::Kind::Other, words("There is no file %1.").arg(path)};
    if (file.isDir()) {
        return {DroppedFile::Kind::Other,
                words("%1 is a folder; open a project (*.octet) or a recipe (*.octet.json).").arg(path)};
    }
    if (name.endsWith(QStringLiteral(".octet"), Qt::CaseInsensitive)) return {DroppedFile::Kind::Store, {}};
    if (name.endsWith(QStringLiteral(".octet.json"), Qt::CaseInsensitive)) return {DroppedFile::Kind::Recipe, {}};
    for (const char* suffix : {".yaml", ".yml", ".json", ".py"}) {
        if (name.endsWith(QLatin1String(suffix), Qt::CaseInsensitive)) return {DroppedFile::Kind::Config, {}};
    }
    return {
        DroppedFile::Kind::Other,
        words("%1 is neither a project (*.octet) nor a recipe (*.octet.json, or a YAML or JSON config), so it was not "
              "opened.")
            .arg(name)};
}

}  // namespace octet::ui
