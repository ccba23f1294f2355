// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/number_edit.h"

#include <QLineEdit>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "engine/core/text.h"

namespace octet::ui {
namespace {

/// 0.001 steps by 0.0001, 3 by 1, 250 by 10.
double decadeStep(double value, bool isWhole) {
    if (isWhole) return 1;
    if (value == 0) return 0.1;
    return std::pow(10.0, std::floor(std::log10(std::abs(value))) - 1);
}

}  // namespace

NumberEdit::NumberEdit(bool isWhole, double low, double high, QWidget* parent)
    : QAbstractSpinBox(parent), m_isWhole(isWhole), m_low(low), m_high(high) {
    setAccelerated(true);
    setFocusPolicy(Qt::StrongFocus);
    connect(lineEdit(), &QLineEdit::textEdited, this, &NumberEdit::edited);
}

void NumberEdit::setNumberText(const QString& text) {
    if (lineEdit()->text() != text) lineEdit()->setText(text);
}

void NumberEdit::stepBy(int steps) {
    const auto value = parseNumber(trimmed(lineEdit()->text().toStdString()));
    if (!value) return;
    const double step = decadeStep(*value, m_isWhole);
    double next = std::round(*value / step + steps) * step;
    if (m_low < m_high) next = std::clamp(next, m_low, m_high);
    const QString text = m_isWhole ? QString::number(static_cast<qint64>(next))
                                   : QString::fromStdString(numberText(QString::number(next, 'g', 6).toDouble()));
    lineEdit()->setText(text);
    lineEdit()->selectAll();
    emit edited();
}

QAbstractSpinBox::StepEnabled NumberEdit::stepEnabled() const {
    const auto value = parseNumber(trimmed(lineEdit()->text().toStdString()));
    if (!value) return StepNone;
    if (m_low >= m_high) return StepUpEnabled | StepDownEnabled;
    StepEnabled enabled = StepNone;
    if (*value < m_high) enabled |= StepUpEnabled;
    if (*value > m_low) enabled |= StepDownEnabled;
    return enabled;
}

QValidator::State NumberEdit::validate(QString&, int&) const {
    return QValidator::Acceptable;
}

QSize NumberEdit::sizeHint() const {
    QSize size = QAbstractSpinBox::sizeHint();
    size.setWidth(fontMetrics().horizontalAdvance(QStringLiteral("00000000")) + 44);
    return size;
}

QSize NumberEdit::minimumSizeHint() const {
    return {60, QAbstractSpinBox::minimumSizeHint().height()};
}

/// The wheel scrolls the form unless the editor was chosen first.
void NumberEdit::wheelEvent(QWheelEvent* event) {
    if (hasFocus())
        QAbstractSpinBox::wheelEvent(event);
    else
        event->ignore();
}

}  // namespace octet::ui
