// SPDX-License-Identifier: Apache-2.0
#include "engine/store/schema.h"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <array>

namespace octet::store {
namespace {

// Samples: a frame holds [series][n] float32 of one commit and its axes as [3][n] float64 (step, tokens, wall time).
// A chunk holds one channel of a sealed segment: channel >= 0 is the series' place in its group (kind f32),
// -1, -2, -3 are step, tokens and wall time (kind f64). Where both exist, the chunk counts.
// Words in columns (state, kind, verb) are the names of store_types.h. Times are Unix seconds.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE experiment(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, spec TEXT NOT NULL, bar_percent REAL, created_at REAL NOT NULL);

CREATE TABLE run(
  id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL REFERENCES experiment(id) ON DELETE CASCADE,
  name TEXT NOT NULL, recipe_name TEXT NOT NULL, recipe TEXT NOT NULL, effective TEXT NOT NULL,
  seed INTEGER NOT NULL, planned_steps INTEGER NOT NULL, baseline INTEGER NOT NULL, hidden INTEGER NOT NULL,
  state TEXT NOT NULL, environment TEXT NOT NULL, created_at REAL NOT NULL,
  parent INTEGER REFERENCES run(id) ON DELETE SET NULL, fork_step REAL,
  note TEXT NOT NULL DEFAULT '', colour TEXT, tags TEXT NOT NULL DEFAULT '[]', archived INTEGER NOT NULL DEFAULT 0);
CREATE INDEX run_experiment ON run(experiment);

CREATE TABLE attempt(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  host TEXT NOT NULL, boot_id TEXT NOT NULL, pid INTEGER NOT NULL, process_start INTEGER NOT NULL,
  started_at REAL NOT NULL, heartbeat_at REAL NOT NULL, ended_at REAL);
CREATE INDEX attempt_run ON attempt(run);

CREATE TABLE run_recipe(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  from_step REAL NOT NULL, recipe TEXT NOT NULL, effective TEXT NOT NULL, UNIQUE(run, from_step));

CREATE TABLE layer(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  name TEXT NOT NULL, out_features INTEGER NOT NULL, in_features INTEGER NOT NULL,
  converted INTEGER NOT NULL, reason TEXT NOT NULL, gemms TEXT NOT NULL, UNIQUE(run, name));

CREATE TABLE grp(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, cadence TEXT NOT NULL);
CREATE INDEX grp_run ON grp(run);

CREATE TABLE series(
  id INTEGER PRIMARY KEY, grp INTEGER NOT NULL REFERENCES grp(id) ON DELETE CASCADE, channel INTEGER NOT NULL,
  layer TEXT NOT NULL, operand TEXT NOT NULL, gemm TEXT NOT NULL, statistic TEXT NOT NULL, unit TEXT NOT NULL,
  UNIQUE(grp, channel));

CREATE TABLE frame(
  seq INTEGER PRIMARY KEY, grp INTEGER NOT NULL REFERENCES grp(id) ON DELETE CASCADE,
  first INTEGER NOT NULL, n INTEGER NOT NULL, axes BLOB NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX frame_place ON frame(grp, first);

CREATE TABLE chunk(
  id INTEGER PRIMARY KEY, grp INTEGER NOT NULL REFERENCES grp(id) ON DELETE CASCADE, channel INTEGER NOT NULL,
  first INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL CHECK(kind IN ('f32', 'f64')),
  min REAL, max REAL, non_finite INTEGER NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX chunk_place ON chunk(grp, channel, first);

CREATE TABLE exponents(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  layer TEXT NOT NULL, operand TEXT NOT NULL, step REAL NOT NULL, lowest INTEGER NOT NULL, counts BLOB NOT NULL,
  zeros INTEGER NOT NULL, subnormals INTEGER NOT NULL, infinities INTEGER NOT NULL, nans INTEGER NOT NULL);
CREATE INDEX exponents_place ON exponents(run, layer, operand, step);

CREATE TABLE event(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, kind TEXT NOT NULL,
  step REAL, layer TEXT NOT NULL, message TEXT NOT NULL, detail TEXT NOT NULL, created_at REAL NOT NULL);
CREATE INDEX event_run ON event(run);

CREATE TABLE command(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL REFERENCES attempt(id) ON DELETE CASCADE, verb TEXT NOT NULL, argument TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('sent', 'taken', 'done', 'refused')), why TEXT NOT NULL DEFAULT '',
  sent_at REAL NOT NULL, changed_at REAL NOT NULL);
CREATE INDEX command_run ON command(run);
CREATE INDEX command_sent ON command(attempt) WHERE state = 'sent';

CREATE TABLE checkpoint(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  attempt INTEGER REFERENCES attempt(id) ON DELETE SET NULL, step REAL NOT NULL, file TEXT NOT NULL,
  bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, environment TEXT NOT NULL, created_at REAL NOT NULL);
CREATE INDEX checkpoint_run ON checkpoint(run);

CREATE TABLE recipe(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, document TEXT NOT NULL, created_at REAL NOT NULL,
  changed_at REAL NOT NULL);
CREATE TABLE view(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, document TEXT NOT NULL, changed_at REAL NOT NULL);
CREATE TABLE bookmark(
  id INTEGER PRIMARY KEY, run INTEGER REFERENCES run(id) ON DELETE CASCADE, step REAL, name TEXT NOT NULL,
  document TEXT NOT NULL, created_at REAL NOT NULL);
)sql";

constexpr std::array<Migration, kSchemaVersion> kMigrations{{{1, "make the tables", kVersion1}}};

}  // namespace

std::span<const Migration> storeMigrations() {
    return kMigrations;
}

void migrate(SQLite::Database& database, std::span<const Migration> table, const Migration*& failing) {
    failing = nullptr;
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    const int from = database.execAndGet("PRAGMA user_version").getInt();
    for (const Migration& step : table) {
        if (step.version <= from) continue;
        failing = &step;
        database.exec(step.sql);
        database.exec(fmt::format("PRAGMA user_version = {}", step.version));
    }
    database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
    transaction.commit();
    failing = nullptr;
}

}  // namespace octet::store
