// SPDX-License-Identifier: Apache-2.0
#include "app/store_access.h"

#include <fmt/format.h>

#include "engine/core/text.h"

namespace octet::app {

Result<std::unique_ptr<store::Reader>> openStore(const Context& context) {
    const auto path = storePath(context);
    if (!path) return path.error();
    auto reader = store::Reader::open(*path);
    if (!reader && reader.error().code == ErrorCode::NotFound) {
        return Error{ErrorCode::NotFound, reader.error().message,
                     "Check the path; `octet-engine train --store FILE.octet` makes a new one."};
    }
    if (reader && !(*reader)->openingNote().empty()) printNote((*reader)->openingNote());
    return reader;
}

Result<store::RunInfo> findRun(store::Reader& reader, const std::string& reference) {
    analysis::StoreSource source(reader);
    return analysis::findRun(source, reference);
}

Result<store::SeriesInfo> findSeries(const std::vector<store::SeriesInfo>& series, const std::string& name,
                                     const store::RunInfo& run) {
    std::vector<std::string> names;
    for (const store::SeriesInfo& one : series) {
        names.push_back(seriesName(one.key));
        if (names.back() == name) return one;
    }
    const auto nearest = nearestWord(name, names);
    const std::string list = fmt::format("`octet-engine show {}` lists what was recorded.", run.id.value);
    return Error{ErrorCode::NotFound, fmt::format("Run {} \"{}\" has no series \"{}\".", run.id.value, run.name, name),
                 nearest ? fmt::format("Did you mean \"{}\"? {}", *nearest, list) : list};
}

}  // namespace octet::app
