// SPDX-License-Identifier: GPL-3.0-or-later
// The window's project as the analysis reads it: the series that the window follows anyway, never the file again.
#pragma once

#include "engine/analysis/run_source.h"
#include "ui/runs/run_series.h"

namespace octet::ui {

class ProjectSource final : public analysis::RunSource {
public:
    ProjectSource(Project& project, RunSeries& series) : m_project(project), m_series(series) {}

    Result<std::vector<store::ExperimentInfo>> experiments() override { return m_project.experiments(); }
    Result<std::vector<store::RunInfo>> runs() override { return m_project.runs(); }
    Result<std::vector<store::LayerInfo>> layers(store::RunId run) override { return m_project.layers(run); }
    Result<std::vector<store::Event>> events(store::RunId run) override { return m_project.events(run); }
    /// Those that a comparison asks for and that are found: loss, step time, underflow of dy, saturation.
    Result<std::vector<store::SeriesInfo>> series(store::RunId run) override;
    Result<store::SeriesData> samples(const store::SeriesInfo& series, double fromStep) override;

private:
    Project& m_project;
    RunSeries& m_series;
};

}  // namespace octet::ui
