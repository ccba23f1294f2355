// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict: one large word for each recipe, figures at the crosshair, why, and the button that carries a recipe
// home.
#pragma once

#include <QFrame>

#include "ui/runs/verdict_texts.h"

class QComboBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace octet::ui {

class Card;
class FigureTable;

struct VerdictView {
    QString baseline;  // name; empty when there is none
    std::vector<VerdictLine> lines;
    QString waiting;  // instead of lines: why there is no verdict yet
    FigureTableText figures;
    QStringList sentences;
    bool operator==(const VerdictView&) const = default;
};

class VerdictCard final : public QWidget {
    Q_OBJECT

public:
    explicit VerdictCard(QWidget* parent = nullptr);

    void setView(const VerdictView& view);
    /// The recipes that can be exported, and which one is offered.
    struct Exportable {
        store::RunId run;
        QString name;
        bool operator==(const Exportable&) const = default;
    };
    void setExportable(const std::vector<Exportable>& runs, store::RunId offered);

signals:
    void exportRequested(store::RunId run);

private:
    void build();
    void showLines(const VerdictView& view);

    VerdictView m_view;
    std::vector<Exportable> m_exportable;
    Card* m_card;
    QWidget* m_lines;
    QVBoxLayout* m_lineLayout;
    FigureTable* m_figures;
    QLabel* m_sentences;
    QComboBox* m_recipe;
    QPushButton* m_export;
};

}  // namespace octet::ui
