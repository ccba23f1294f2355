// SPDX-License-Identifier: Apache-2.0
// One SQLite connection to a store: keeps its statements prepared, binds by type, and holds the lease on the file and
// the temporary folder of a copy. Used from one thread. Methods throw SQLite::Exception (see guarded()).
#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/store/open_registry.h"

namespace octet::store {

/// A folder that goes with its owner.
class TemporaryFolder {
public:
    TemporaryFolder() = default;
    explicit TemporaryFolder(std::filesystem::path path) : m_path(std::move(path)) {}
    TemporaryFolder(TemporaryFolder&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
        std::swap(m_path, other.m_path);
        return *this;
    }
    ~TemporaryFolder();

private:
    std::filesystem::path m_path;
};

/// One row while it is read; columns count from 0.
class Row {
public:
    explicit Row(SQLite::Statement& statement) : m_statement(statement) {}
    [[nodiscard]] int64_t integer(int column) const { return m_statement.getColumn(column).getInt64(); }
    [[nodiscard]] double real(int column) const;  // NULL reads as NaN: SQLite stores NaN so
    [[nodiscard]] std::optional<double> optionalReal(int column) const;
    [[nodiscard]] std::string text(int column) const { return m_statement.getColumn(column).getString(); }
    /// Valid until the next row.
    [[nodiscard]] std::span<const std::byte> blob(int column) const;

private:
    SQLite::Statement& m_statement;
};

using Blob = std::span<const std::byte>;

class Connection {
public:
    struct Parts {
        TemporaryFolder copy;
        OpenLease lease;
        std::unique_ptr<SQLite::Database> database;
        std::filesystem::path path;  // as the user named it
        std::string note;            // how it could be opened, when not in the usual way
    };
    explicit Connection(Parts parts) : m_parts(std::move(parts)) {}

    [[nodiscard]] SQLite::Database& database() { return *m_parts.database; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_parts.path; }
    [[nodiscard]] const std::string& note() const { return m_parts.note; }

    /// Runs one statement. @return the id of the row that was last inserted
    /// @param sql  a literal (statements are kept by its address)
    template <typename... Arguments>
    int64_t run(const char* sql, const Arguments&... arguments) {
        each(
            sql, [](const Row&) {}, arguments...);
        return database().getLastInsertRowid();
    }

    /// Calls `visit(const Row&)` for each row.
    template <typename Visit, typename... Arguments>
    void each(const char* sql, Visit&& visit, const Arguments&... arguments) {
        SQLite::Statement& statement = prepared(sql);
        const ResetAtEnd reset{statement};
        int at = 0;
        (bind(statement, ++at, arguments), ...);
        const Row row(statement);
        while (statement.executeStep())
            visit(row);
    }

private:
    struct ResetAtEnd {
        SQLite::Statement& statement;
        ~ResetAtEnd() { statement.tryReset(); }
    };
    SQLite::Statement& prepared(const char* sql);

    static void bind(SQLite::Statement& statement, int at, int64_t value) { statement.bind(at, value); }
    static void bind(SQLite::Statement& statement, int at, int value) { statement.bind(at, value); }
    static void bind(SQLite::Statement& statement, int at, uint64_t value) {
        statement.bind(at, static_cast<int64_t>(value));
    }
    static void bind(SQLite::Statement& statement, int at, bool value) { statement.bind(at, value ? 1 : 0); }
    static void bind(SQLite::Statement& statement, int at, double value) { statement.bind(at, value); }
    static void bind(SQLite::Statement& statement, int at, const std::string& value) {
        statement.bindNoCopy(at, value);
    }
    static void bind(SQLite::Statement& statement, int at, const char* value) { statement.bindNoCopy(at, value); }
    static void bind(SQLite::Statement& statement, int at, Blob value);
    static void bind(SQLite::Statement& statement, int at, const std::optional<double>& value) {
        value ? statement.bind(at, *value) : statement.bind(at);
    }

    // Order matters: statements end first, then SQLite closes the file, then the lease and the copy go.
    Parts m_parts;
    std::map<const char*, std::unique_ptr<SQLite::Statement>> m_statements;
};

/// Several reads that see one moment. Ends the transaction on leaving.
class ReadTransaction {
public:
    explicit ReadTransaction(Connection& connection) : m_connection(connection) { m_connection.run("BEGIN"); }
    ~ReadTransaction();
    ReadTransaction(const ReadTransaction&) = delete;
    ReadTransaction& operator=(const ReadTransaction&) = delete;

private:
    Connection& m_connection;
};

}  // namespace octet::store
