// SPDX-License-Identifier: GPL-3.0-or-later
// An open store as the window sees it: runs, layers, events and series that follow the file's growth. Lives on the GUI
// thread; reads in short transactions, a few times a second.
#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <vector>

#include "engine/core/result.h"
#include "engine/series/pyramid.h"
#include "engine/store/reader.h"

namespace octet::ui {

/// Where samples stand: ascending, one entry a sample. Series that are recorded together share them (they are six times
/// as large as the samples), so there may be more entries than one of the series has samples yet.
struct SampleAxes {
    std::vector<double> step, tokens, wallTime;
};

/// One series with its axes, growing in place; views keep the pointer and look at size(). Non-finite samples are NaN or
/// infinite in `values` and counted by the pyramid.
struct SeriesView {
    store::SeriesInfo info;
    std::shared_ptr<SampleAxes> axes = std::make_shared<SampleAxes>();
    series::Pyramid values;

    [[nodiscard]] int64_t size() const { return values.size(); }
};

class Project final : public QObject {
    Q_OBJECT

public:
    /// @param probe  tests: what the machine says about rights; nullptr: the machine's
    [[nodiscard]] static Result<std::unique_ptr<Project>> open(const std::filesystem::path& path,
                                                               const store::OpenProbe* probe = nullptr);
    ~Project() override;

    [[nodiscard]] const std::filesystem::path& path() const;
    [[nodiscard]] QString openingNote() const;

    [[nodiscard]] const std::vector<store::ExperimentInfo>& experiments() const;
    /// Hidden A/A twins included (RunInfo::hidden).
    [[nodiscard]] const std::vector<store::RunInfo>& runs() const;
    [[nodiscard]] const store::RunInfo* run(store::RunId id) const;
    [[nodiscard]] std::vector<store::LayerInfo> layers(store::RunId id) const;
    [[nodiscard]] std::vector<store::Event> events(store::RunId id) const;

    /// The series of `run` with this key (unit ignored), followed from now on; nullptr when the run has none.
    [[nodiscard]] std::shared_ptr<const SeriesView> series(store::RunId run, const store::SeriesKey& key);

    /// Sends a command; the state shows as pending until the worker has taken it. Failures come back as an Error.
    [[nodiscard]] Result<void> send(store::RunId run, store::CommandVerb verb, const Json& argument = nullptr);
    /// "pausing...", "stopping...", or empty.
    [[nodiscard]] QString pendingCommand(store::RunId run) const;

    /// Looks at the store now; a timer does it every 150 ms.
    void poll();

signals:
    void runsChanged();     // runs were added, or a state, step count or pending command changed
    void samplesArrived();  // at most once a poll
    void eventsArrived();
    void failed(const QString& sentence);  // the store vanished, became unreadable, ...; once for each trouble
    void recovered();
    void commandDone(store::RunId run, store::CommandVerb verb);
    void commandRefused(const QString& sentence);  // by the worker, or because it is gone

private:
    struct Impl;
    explicit Project(std::unique_ptr<Impl> impl);
    void reportTrouble(const std::optional<Error>& trouble);
    std::unique_ptr<Impl> m_impl;
};

/// Message and hint of an error as one text for a message strip.
[[nodiscard]] QString sentenceOf(const Error& error);

}  // namespace octet::ui
