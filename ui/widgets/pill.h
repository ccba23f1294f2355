// SPDX-License-Identifier: GPL-3.0-or-later
// A small rounded word that carries a state: used, default, dropped, refused; done, 71 %, NaN, stopped.
#pragma once

#include <QWidget>

class QPainter;

namespace octet::ui {

struct Theme;

enum class Tone { Neutral, Ok, Warn, Bad, Accent };

/// For delegates: size of a pill with this text, and the painting of it, vertically centred in `rect`, left aligned.
[[nodiscard]] QSize pillSize(const QString& text);
void paintPill(QPainter& painter, const QRect& rect, const QString& text, Tone tone, const Theme& theme);

class Pill final : public QWidget {
    Q_OBJECT

public:
    explicit Pill(const QString& text = {}, Tone tone = Tone::Neutral, QWidget* parent = nullptr);

    void setText(const QString& text, Tone tone);
    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] Tone tone() const { return m_tone; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
    Tone m_tone;
};

}  // namespace octet::ui
