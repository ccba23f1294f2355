// SPDX-License-Identifier: GPL-3.0-or-later
// A spin box that keeps whatever is typed: it steps numbers, and judges nothing.
#pragma once

#include <QAbstractSpinBox>

namespace octet::ui {

class NumberEdit final : public QAbstractSpinBox {
    Q_OBJECT

public:
    /// @param isWhole  steps by one; else by a tenth of the value's decade
    NumberEdit(bool isWhole, double low, double high, QWidget* parent = nullptr);

    void setNumberText(const QString& text);
    [[nodiscard]] QLineEdit* line() const { return lineEdit(); }

    void stepBy(int steps) override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void edited();

protected:
    [[nodiscard]] StepEnabled stepEnabled() const override;
    QValidator::State validate(QString& input, int& position) const override;
    void wheelEvent(QWheelEvent* event) override;

private:
    bool m_isWhole;
    double m_low, m_high;  // equal: no range
};

}  // namespace octet::ui
