// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/fp8_share.h"

#include <algorithm>

namespace octet::recipe {

Fp8Share fp8Share(const std::vector<LayerPlan>& layers, const std::vector<arch::Module>& modules) {
    Fp8Share share;
    share.parameters = arch::parameterCount(modules);
    share.layers = layers.size();
    for (const LayerPlan& layer : layers) {
        const double weights = static_cast<double>(layer.outFeatures) * static_cast<double>(layer.inFeatures);
        const auto gemms = static_cast<double>(std::ranges::count(layer.fp8, true));
        share.flops += 2.0 * weights * static_cast<double>(layer.fp8.size());
        share.flopsInFp8 += 2.0 * weights * gemms;
        if (gemms == 0) continue;
        ++share.layersInFp8;
        share.parametersInFp8 += weights;
    }
    return share;
}

}  // namespace octet::recipe
