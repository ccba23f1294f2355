// SPDX-License-Identifier: GPL-3.0-or-later
// The strip that starts training: model, data, steps, seeds, learning rate, batch, device, an estimate, Run, and the
// same as a command.
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "engine/recipe/run_spec.h"
#include "engine/recipe/run_spec_fields.h"
#include "ui/recipe/run_estimate.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace octet::ui {

class Card;
class FieldEditor;

/// The flags of `octet-engine train` for a spec: those that differ from the defaults, one word an entry.
[[nodiscard]] QStringList trainArguments(const recipe::RunSpec& spec);

class RunSetup final : public QWidget {
    Q_OBJECT

public:
    explicit RunSetup(QWidget* parent = nullptr);

    /// The spec without the recipe that is being edited: the place adds it.
    [[nodiscard]] const recipe::RunSpec& spec() const { return m_spec; }
    /// `reference` first, then the baseline where it is wanted and not the recipe itself.
    [[nodiscard]] recipe::RunSpec specFor(const QString& reference) const;
    void setRecipeIsBaseline(bool isBaseline);
    /// Shows the fields where there is room, until the person has chosen.
    void setRoomy(bool isRoomy);
    void setThroughput(const Throughput& throughput);
    /// What stands in the fields is offered again at the next start.
    void keepValues() const;

    /// The first thing that keeps the spec from running, with its reason; empty: nothing.
    [[nodiscard]] QString problem() const;

signals:
    void modelChanged(const QString& model);
    void runWanted();
    void copyWanted();

private:
    void restoreValues();
    void buildHead(Card* card);
    [[nodiscard]] QWidget* editorCell(const recipe::RunField& field);
    void take(const recipe::RunField& field, const recipe::FieldValue& value);
    void setOpen(bool isOpen);
    void chooseOpen(bool isOpen);
    void refresh();

    recipe::RunSpec m_spec;
    Throughput m_throughput = assumedThroughput();
    bool m_recipeIsBaseline = false;
    Card* m_card;
    QWidget* m_fields;
    QToolButton* m_toggle;
    QPushButton* m_run;
    QPushButton* m_copy;
    QCheckBox* m_withBaseline;
    QLabel* m_estimate;
    std::vector<FieldEditor*> m_editors;
};

}  // namespace octet::ui
