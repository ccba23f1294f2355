// SPDX-License-Identifier: GPL-3.0-or-later
// Findings in a file of another program, as octet-engine reports them: line, sentence, and a button that repairs what
// is wrong without doubt. The window reads no foreign file itself.
#pragma once

#include <QWidget>

#include "engine/core/json.h"
#include "engine/recipe/recipe.h"

class QLabel;
class QProcess;
class QPushButton;
class QVBoxLayout;

namespace octet::ui {

class Card;

class CheckCard final : public QWidget {
    Q_OBJECT

public:
    explicit CheckCard(QWidget* parent = nullptr);

    /// Asks octet-engine about the file and shows itself with the answer.
    void check(const QString& path);
    /// The program to ask; empty: the one beside octet, else on the PATH.
    void setEngine(const QString& program) { m_engine = program; }
    [[nodiscard]] bool isChecking() const { return m_process != nullptr; }

signals:
    /// The file comes to this recipe, and the person wants to see it.
    void recipeWanted(const octet::recipe::Recipe& recipe);
    void message(const QString& sentence, bool isError);

private:
    void ask(const QStringList& more);
    void answered();
    void showReport(const Json& report);
    void addLine(const QString& place, const QString& sentence, bool isError);
    void clear();

    QString m_path;
    QString m_engine;
    QProcess* m_process = nullptr;
    Json m_report;
    Card* m_card;
    QVBoxLayout* m_lines;
    QPushButton* m_repair;
    QPushButton* m_open;
};

}  // namespace octet::ui
