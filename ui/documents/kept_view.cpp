// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/documents/kept_view.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QSettings>
#include <algorithm>
#include <cmath>

namespace octet::ui {
namespace {

const QString kViews = QStringLiteral("views");
constexpr qsizetype kMostViews = 50;

QString keyOf(const Project& project) {
    std::error_code failed;
    const auto absolute = std::filesystem::absolute(project.path(), failed);
    const std::string path = (failed ? project.path() : absolute).lexically_normal().string();
    const QByteArray hash = QCryptographicHash::hash(QByteArray::fromStdString(path), QCryptographicHash::Sha256);
    return QString::fromLatin1(hash.toHex().left(16));
}

qlonglong newestExperiment(const Project& project) {
    qlonglong newest = 0;
    for (const store::ExperimentInfo& one : project.experiments())
        newest = std::max<qlonglong>(newest, one.id.value);
    return newest;
}

QVariantList listOf(const QSet<qint64>& ids) {
    QVariantList list;
    for (const qint64 id : ids)
        list << id;
    return list;
}

/// Those that are runs of the project.
template <typename Take>
void forEachRun(const QVariant& ids, const Project& project, Take take) {
    for (const QVariant& id : ids.toList())
        if (const store::RunInfo* run = project.run({id.toLongLong()})) take(run->id);
}

std::optional<double> finite(const QVariant& value) {
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    return isNumber && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

template <typename Choice>
Choice choiceOf(const QVariant& value, Choice last) {
    return static_cast<Choice>(std::clamp(value.toInt(), 0, static_cast<int>(last)));
}

/// The oldest views go first.
void forgetOldViews(QSettings& settings) {
    settings.beginGroup(kViews);
    QStringList keys = settings.childKeys();
    std::ranges::sort(keys, std::greater(), [&](const QString& key) {
        return settings.value(key).toMap().value(QStringLiteral("at")).toLongLong();
    });
    for (const QString& key : keys.mid(kMostViews))
        settings.remove(key);
    settings.endGroup();
}

void restoreRuns(Selection& selection, const Project& project, const QVariantMap& kept) {
    const store::RunInfo* current = project.run({kept.value(QStringLiteral("current")).toLongLong()});
    if (current) {
        selection.setExperiment(current->experiment);
        selection.setCurrentRun(current->id);
    }
    if (const auto* pinned = project.run({kept.value(QStringLiteral("baseline")).toLongLong()}))
        selection.setBaseline(pinned->id);
    forEachRun(kept.value(QStringLiteral("hidden")), project,
               [&](store::RunId run) { selection.setVisible(run, false); });
    forEachRun(kept.value(QStringLiteral("overlaid")), project,
               [&](store::RunId run) { selection.setOverlaid(run, true); });
    QStringList layers = kept.value(QStringLiteral("layers")).toStringList();
    const auto known = current ? project.layers(current->id) : std::vector<store::LayerInfo>();
    layers.removeIf([&](const QString& layer) {
        return std::ranges::find(known, layer.toStdString(), &store::LayerInfo::name) == known.end();
    });
    selection.setLayers(layers);
}

}  // namespace

void keepView(const Selection& selection, const Project& project) {
    if (project.runs().empty()) return;
    QVariantMap kept{{QStringLiteral("at"), QDateTime::currentSecsSinceEpoch()},
                     {QStringLiteral("newest"), newestExperiment(project)},
                     {QStringLiteral("current"), static_cast<qlonglong>(selection.currentRun().value)},
                     {QStringLiteral("baseline"), static_cast<qlonglong>(selection.baseline().value)},
                     {QStringLiteral("hidden"), listOf(selection.hidden())},
                     {QStringLiteral("overlaid"), listOf(selection.overlaid())},
                     {QStringLiteral("layers"), selection.layers()},
                     {QStringLiteral("operand"), selection.operand()},
                     {QStringLiteral("axis"), static_cast<int>(selection.xAxis())},
                     {QStringLiteral("preset"), static_cast<int>(selection.preset())}};
    if (selection.cursor()) kept.insert(QStringLiteral("cursor"), *selection.cursor());
    if (const auto& range = selection.xRange()) {
        kept.insert(QStringLiteral("lower"), range->lower);
        kept.insert(QStringLiteral("upper"), range->upper);
    }
    QSettings settings;
    settings.setValue(kViews + QLatin1Char('/') + keyOf(project), kept);
    forgetOldViews(settings);
}

void restoreView(Selection& selection, const Project& project) {
    const QVariantMap kept = QSettings().value(kViews + QLatin1Char('/') + keyOf(project)).toMap();
    if (kept.isEmpty()) return;
    selection.setXAxis(choiceOf(kept.value(QStringLiteral("axis")), XAxis::WallTime));
    selection.setPreset(choiceOf(kept.value(QStringLiteral("preset")), ViewPreset::Compare));
    if (kept.value(QStringLiteral("newest")).toLongLong() != newestExperiment(project)) return;
    restoreRuns(selection, project, kept);
    selection.setOperand(kept.value(QStringLiteral("operand")).toString());
    selection.setCursor(finite(kept.value(QStringLiteral("cursor"))));
    const auto lower = finite(kept.value(QStringLiteral("lower"))), upper = finite(kept.value(QStringLiteral("upper")));
    if (!lower || !upper || !(*lower < *upper)) return;
    selection.setXRange(XRange{*lower, *upper});
    selection.setFollows(false);
}

}  // namespace octet::ui
