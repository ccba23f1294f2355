// SPDX-License-Identifier: Apache-2.0
#include "engine/model/operand_cast_torch.h"

namespace octet::model {
namespace {

using backend::Operand;
using recipe::Granularity;
using recipe::MxScaleMode;
using recipe::OperandCast;
using recipe::ScalingKind;
using scaling::ScaleSource;
using scaling::TileShape;

/// A tile of `length` values along the contracted dimension.
TileShape along(Contracts contracts, int64_t length) {
    return contracts == Contracts::Columns ? TileShape{1, length} : TileShape{length, 1};
}

TileShape tileOf(Granularity granularity, Contracts contracts) {
    switch (granularity) {
        case Granularity::Row:
            return along(contracts, scaling::kWholeDimension);
        case Granularity::Block1x128:
            return along(contracts, 128);
        case Granularity::Block1x32:
            return along(contracts, 32);
        case Granularity::Block128x128:
            return {128, 128};
        case Granularity::Block32x32:
            return {32, 32};
        case Granularity::Tensor:
            break;
    }
    return {};  // one scale a tensor: any tiles do
}

scaling::MxRule mxRuleOf(MxScaleMode mode) {
    switch (mode) {
        case MxScaleMode::Te:
            return scaling::MxRule::Te;
        case MxScaleMode::Floor:
            return scaling::MxRule::TorchaoFloor;
        case MxScaleMode::Ceil:
            return scaling::MxRule::TorchaoCeil;
        case MxScaleMode::Even:
            return scaling::MxRule::TorchaoEven;
        case MxScaleMode::Rceil:
            break;
    }
    return scaling::MxRule::TorchaoRceil;
}

Operand castWithTiles(backend::Backend& backend, const at::Tensor& in, const scaling::TileCastSpec& spec,
                      CastOutcome& outcome) {
    scaling::TileCastResult result;
    Operand operand = backend.castTiles(in, spec, result);
    outcome = {result.statistics, 0, 1, 1};
    if (result.statistics.elements > 0) {  // an expert may have no token
        outcome.scaleInvMin = result.scaleInvMin;
        outcome.scaleInvMax = result.scaleInvMax;
    }
    return operand;
}

/// One scale, known before the cast; the product is scaled on its way out.
Operand castWithScale(backend::Backend& backend, const at::Tensor& in, const CastRequest& request, float scale,
                      CastOutcome& outcome) {
    const float scaleInv = 1.0f / scale;
    outcome = {{}, scale, scaleInv, scaleInv};
    return backend.cast(in, {request.cast.format, scale, request.roundInputToBf16, request.level}, outcome.statistics);
}

scaling::FoundAmax foundIn(const numerics::CastStatistics& measured) {
    return {measured.amax, measured.nans > 0, measured.infinities > 0};
}

/// torchao's emulation divides the codes by the scale before it multiplies.
Operand castTensorwise(backend::Backend& backend, const at::Tensor& in, const CastRequest& request,
                       CastOutcome& outcome) {
    const auto found = foundIn(backend.measureAmax(in, request.roundInputToBf16));
    scaling::TileCastSpec spec = tileCastSpec(request);
    spec.givenScale =
        scaling::torchaoScale(scaling::torchaoAmax(found), numerics::fp8Max(spec.format), spec.powerOfTwo);
    Operand operand = castWithTiles(backend, in, spec, outcome);
    outcome.scale = spec.givenScale;
    outcome.scaleInvMin = outcome.scaleInvMax = 1.0f / spec.givenScale;
    return operand;
}

float currentScale(backend::Backend& backend, const at::Tensor& in, const CastRequest& request) {
    const auto found = foundIn(backend.measureAmax(in, request.roundInputToBf16));
    const OperandCast& cast = request.cast;
    return scaling::teScale(scaling::teAmax(found), {numerics::fp8Max(cast.format), cast.powerOfTwo, cast.amaxEpsilon,
                                                     scaling::kLargestFloat32});
}

}  // namespace

scaling::TileCastSpec tileCastSpec(const CastRequest& request) {
    const OperandCast& cast = request.cast;
    scaling::TileCastSpec spec;
    spec.format = cast.format;
    spec.tile = tileOf(cast.granularity, request.contracts);
    spec.source = !cast.hasManyScales()                  ? ScaleSource::Given
                  : cast.scaling == ScalingKind::Torchao ? ScaleSource::Torchao
                  : cast.scaling == ScalingKind::Mx      ? ScaleSource::Mx
                                                         : ScaleSource::Te;
    spec.powerOfTwo = cast.powerOfTwo;
    spec.epsilon = cast.amaxEpsilon;
    spec.mxRule = mxRuleOf(cast.mxMode);
    spec.roundInputToBf16 = request.roundInputToBf16;
    spec.level = request.level;
    return spec;
}

Operand castOperand(backend::Backend& backend, const at::Tensor& in, const CastRequest& request, CastOutcome& outcome) {
    if (request.cast.hasManyScales()) return castWithTiles(backend, in, tileCastSpec(request), outcome);
    if (request.cast.scaling == ScalingKind::Torchao) return castTensorwise(backend, in, request, outcome);
    const bool delayed = request.cast.scaling == ScalingKind::Delayed;
    const float scale = delayed ? request.delayedScale : currentScale(backend, in, request);
    return castWithScale(backend, in, request, scale, outcome);
}

}  // namespace octet::model
