// SPDX-License-Identifier: GPL-3.0-or-later
// The right side of Runs: the verdict above, and under it the layers, what differs between the runs, and the events.
#pragma once

#include <QWidget>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

class QLabel;

namespace octet::ui {

class EventsPanel;
class FigureTable;
class LayersPanel;
class VerdictCard;
struct FigureTableText;

class Inspector final : public QWidget {
    Q_OBJECT

public:
    explicit Inspector(Selection* selection, QWidget* parent = nullptr);
    void setProject(Project* project);
    /// @param differences  no rows: the runs agree in everything, or there is only one
    void setDifferences(const FigureTableText& differences, bool hasSeveralRuns);

    [[nodiscard]] VerdictCard* verdict() const { return m_verdict; }
    [[nodiscard]] LayersPanel* layers() const { return m_layers; }
    [[nodiscard]] EventsPanel* events() const { return m_events; }

private:
    [[nodiscard]] QWidget* makeDifferences();

    VerdictCard* m_verdict;
    LayersPanel* m_layers;
    EventsPanel* m_events;
    FigureTable* m_differences;
    QLabel* m_agreement;
};

}  // namespace octet::ui
