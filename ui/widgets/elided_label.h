// SPDX-License-Identifier: GPL-3.0-or-later
// One line of text that ends in "..." where the room ends; the whole text is the tool tip then.
#pragma once

#include <QWidget>

namespace octet::ui {

class ElidedLabel final : public QWidget {
    Q_OBJECT

public:
    enum class Ink { Normal, Dim, Bad };

    explicit ElidedLabel(const QString& text = {}, Ink ink = Ink::Normal, QWidget* parent = nullptr);

    void setText(const QString& text);
    void setInk(Ink ink);
    void setElideMode(Qt::TextElideMode mode);  // right by default; middle for paths and layer names
    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QString m_text;
    Ink m_ink;
    Qt::TextElideMode m_mode = Qt::ElideRight;
};

}  // namespace octet::ui
