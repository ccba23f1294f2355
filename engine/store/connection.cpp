// SPDX-License-Identifier: Apache-2.0
#include "engine/store/connection.h"

#include <cmath>
#include <limits>
#include <system_error>

namespace octet::store {

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!m_path.empty()) std::filesystem::remove_all(m_path, ignored);
}

double Row::real(int column) const {
    return optionalReal(column).value_or(std::numeric_limits<double>::quiet_NaN());
}

std::optional<double> Row::optionalReal(int column) const {
    const SQLite::Column value = m_statement.getColumn(column);
    if (value.isNull()) return std::nullopt;
    return value.getDouble();
}

std::span<const std::byte> Row::blob(int column) const {
    const SQLite::Column value = m_statement.getColumn(column);
    const auto* bytes = static_cast<const std::byte*>(value.getBlob());
    return {bytes, static_cast<size_t>(value.getBytes())};
}

SQLite::Statement& Connection::prepared(const char* sql) {
    auto& statement = m_statements[sql];
    if (!statement) statement = std::make_unique<SQLite::Statement>(database(), sql);
    return *statement;
}

void Connection::bind(SQLite::Statement& statement, int at, Blob value) {
    // An empty blob is a blob, not NULL: SQLite makes NULL of a null pointer.
    static constexpr char kNothing = 0;
    const void* data = value.empty() ? static_cast<const void*>(&kNothing) : value.data();
    statement.bindNoCopy(at, data, static_cast<int>(value.size()));
}

ReadTransaction::~ReadTransaction() {
    m_connection.database().tryExec("COMMIT");
}

}  // namespace octet::store
