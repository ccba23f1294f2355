// SPDX-License-Identifier: GPL-3.0-or-later
// The recipe in the form that somebody else reads, as it would be written, with what that form cannot carry.
#pragma once

#include <QWidget>
#include <string>

#include "ui/recipe/recipe_document.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace octet::ui {

class ExportCard final : public QWidget {
    Q_OBJECT

public:
    explicit ExportCard(RecipeDocument* document, QWidget* parent = nullptr);

    [[nodiscard]] const std::string& target() const { return m_target; }
    void setTarget(const std::string& target);
    [[nodiscard]] QString preview() const;

    /// Writes what the preview shows; an export for Accelerate gets the Octet recipe beside it. Both files are written
    /// whole or not at all.
    /// @return a sentence on what was written
    [[nodiscard]] Result<QString> exportTo(const QString& path) const;

public slots:
    void saveAs();
    void copy();

signals:
    void message(const QString& sentence, bool isError);

private:
    void addTargets(class Card* card);
    void refresh();
    [[nodiscard]] QString suggestedPath() const;

    RecipeDocument* m_document;
    std::string m_target;
    QComboBox* m_targets;
    QPlainTextEdit* m_preview;
    QLabel* m_leftOut;
    QPushButton* m_saveAs;
    QPushButton* m_copy;
};

}  // namespace octet::ui
