// SPDX-License-Identifier: Apache-2.0
// The inside of a Reader.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/store/connection.h"
#include "engine/store/reader.h"
#include "engine/store/sqlite_error.h"

namespace octet::store {

struct Reader::Impl {
    std::unique_ptr<Connection> connection;
    std::optional<int64_t> dataVersion;  // none before the first changed()

    /// Fills a list in one read transaction.
    template <typename Item, typename Fill>
    Result<std::vector<Item>> list(Fill&& fill) {
        return guarded("read", connection->path(), [&]() -> Result<std::vector<Item>> {
            const ReadTransaction reading(*connection);
            std::vector<Item> items;
            fill(*connection, items);
            return items;
        });
    }
};

}  // namespace octet::store
