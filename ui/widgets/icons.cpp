// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

/// Asks the theme each time it paints, so an icon is never left in yesterday's colour.
class SvgEngine final : public QIconEngine {
public:
    explicit SvgEngine(const QString& name) : m_name(name) {
        QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
        if (file.open(QIODevice::ReadOnly)) m_svg = file.readAll();
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        QByteArray svg = m_svg;
        svg.replace("#000000", colour(mode, state).name().toLatin1());
        QSvgRenderer(svg).render(painter, QRectF(rect));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap image(size);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return image;
    }

    [[nodiscard]] QIconEngine* clone() const override { return new SvgEngine(m_name); }

private:
    [[nodiscard]] static QColor colour(QIcon::Mode mode, QIcon::State state) {
        const Theme& theme = themeOf(nullptr);
        if (mode == QIcon::Disabled) return theme.faint;
        if (state == QIcon::On) return theme.accent;
        return mode == QIcon::Active ? theme.ink : theme.dim;
    }

    QString m_name;
    QByteArray m_svg;
};

}  // namespace

QIcon themedIcon(const QString& name) {
    return QIcon(new SvgEngine(name));
}

}  // namespace octet::ui
