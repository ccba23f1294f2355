// SPDX-License-Identifier: Apache-2.0
#include "app/layer_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/table.h"
#include "app/terminal.h"

namespace octet::app {
namespace {

/// Accelerate's usual reason without the layer's own shape, which has its column: so that equal decisions read alike.
std::string reasonAlone(const LayerLine& layer) {
    const std::string shape = fmt::format("takes it: {} x {}, ", layer.outFeatures, layer.inFeatures);
    std::string reason = layer.reason;
    if (const size_t at = reason.find(shape); at != std::string::npos) reason.replace(at, shape.size(), "takes it: ");
    return reason;
}

}  // namespace

std::string layerTable(const std::vector<LayerLine>& layers) {
    std::vector<std::string> reasons;  // each once, in the order of the layers
    std::vector<size_t> reasonOf;
    for (const LayerLine& layer : layers) {
        const std::string reason = reasonAlone(layer);
        const auto known = std::find(reasons.begin(), reasons.end(), reason);
        reasonOf.push_back(static_cast<size_t>(known - reasons.begin()));
        if (known == reasons.end()) reasons.push_back(reason);
    }
    std::vector<Table::Column> columns{{"layer"}, {"out x in", Table::Align::Right}, {"fprop"}, {"dgrad"}, {"wgrad"}};
    if (reasons.size() > 1) columns.push_back({"reason", Table::Align::Right});
    Table table(columns);
    for (size_t i = 0; i < layers.size(); ++i) {
        const LayerLine& layer = layers[i];
        std::vector<std::string> row{layer.name, fmt::format("{} x {}", layer.outFeatures, layer.inFeatures),
                                     layer.gemms[0], layer.gemms[1], layer.gemms[2]};
        if (reasons.size() > 1) row.push_back(std::to_string(reasonOf[i] + 1));
        table.addRow(std::move(row));
    }
    std::string text = table.text();
    for (size_t i = 0; i < reasons.size(); ++i) {
        const std::string label = reasons.size() == 1 ? "All layers" : fmt::format("Reason {}", i + 1);
        text += wrappedText(label + ": " + reasons[i], textColumns()) + "\n";
    }
    return text;
}

}  // namespace octet::app
