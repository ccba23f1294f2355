// SPDX-License-Identifier: Apache-2.0
// A numeric locale with a decimal comma, without an installed one: bare Debian has none. While it lives, printf and
// strtod of this process use "0,25".
#pragma once

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <clocale>
#include <cstdint>
#include <string>

class CommaLocale {
public:
    CommaLocale() : m_before(setlocale(LC_NUMERIC, nullptr)) {
        QDir(m_dir.path()).mkdir("comma");
        QFile file(m_dir.filePath("comma/LC_NUMERIC"));
        if (file.open(QIODevice::WriteOnly)) file.write(compiled());
        file.close();
        qputenv("LOCPATH", m_dir.path().toUtf8());
        m_active = setlocale(LC_NUMERIC, "comma") != nullptr && std::string(localeconv()->decimal_point) == ",";
        qunsetenv("LOCPATH");
    }
    ~CommaLocale() { setlocale(LC_NUMERIC, m_before.c_str()); }
    CommaLocale(const CommaLocale&) = delete;
    CommaLocale& operator=(const CommaLocale&) = delete;

    [[nodiscard]] bool active() const { return m_active; }

private:
    /// What localedef would write for LC_NUMERIC: a magic number, the count and offsets of the entries, the entries.
    static QByteArray compiled() {
        constexpr uint32_t magic = 0x20031115U ^ static_cast<uint32_t>(LC_NUMERIC);
        const auto word = [](uint32_t value) { return QByteArray(reinterpret_cast<const char*>(&value), 4); };
        // decimal point, thousands separator, grouping, the first two as wide characters, code set
        const QByteArray entries[] = {
            QByteArray(",\0\0\0", 4),    QByteArray(4, '\0'), QByteArray("\xff\0\0\0", 4), word(','), word(0),
            QByteArray("UTF-8\0\0\0", 8)};
        constexpr uint32_t count = 6;
        QByteArray head = word(magic) + word(count), body;
        for (const QByteArray& entry : entries) {
            head += word((2 + count) * 4 + static_cast<uint32_t>(body.size()));
            body += entry;
        }
        return head + body;
    }

    QTemporaryDir m_dir;
    std::string m_before;
    bool m_active = false;
};
