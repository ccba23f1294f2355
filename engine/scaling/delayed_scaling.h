// SPDX-License-Identifier: Apache-2.0
// Transformer Engine's delayed scaling for one tensor: an amax history and the scale made from it.
// Source: TE 2.20, common/recipe/delayed_scaling.cu (fused, the default on a GPU) and
// FP8GlobalStateManager.reduce_and_update_fp8_tensors (unfused). Row 0 is the slot of the running step, row 1 the
// oldest value, row L-1 the newest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/scaling/scale_rules.h"

namespace octet::scaling {

struct DelayedScalingRule {
    float fp8Max = 448.0f;
    int margin = 0;         // the scale is divided by 2^margin
    int historyLen = 1024;  // 1 to 65,536 rows
    AmaxAlgo algo = AmaxAlgo::Max;
    UpdatePath path = UpdatePath::Fused;
    int interval = 1;  // documented semantics: the scale is made at every interval-th update, first at 0
};

/// History and scale of one tensor. Copyable: evaluation that must not change a run works on a copy.
class DelayedScaling {
public:
    explicit DelayedScaling(const DelayedScalingRule& rule);
    /// Restores a state: `history` in TE's order (row 0 first), as in checkpoints and golden files.
    DelayedScaling(const DelayedScalingRule& rule, const std::vector<float>& history, float scale);

    [[nodiscard]] float scale() const { return m_scale; }
    /// fl32(1 / scale), which dequantises.
    [[nodiscard]] float scaleInv() const { return 1.0f / m_scale; }
    /// True until an update has made the scale from an amax: the cast runs with the initial scale 1.
    [[nodiscard]] bool isCold() const { return !m_scaleMade; }

    /// What a cast does: row 0 becomes the larger of itself and `amax` (infinity enters; NaN does not).
    void stage(float amax);
    /// Row 0 as a cast left it; a replay may stage NaN this way.
    void setStaged(float amax) { m_staged = amax; }
    [[nodiscard]] float staged() const { return m_staged; }

    /// One update, at the end of an autocast region. @param reduced  row 0 after the all-reduce over ranks
    void update(float reduced);
    void update() { update(m_staged); }

    /// TE's order: row 0, then oldest to newest.
    [[nodiscard]] std::vector<float> history() const;

private:
    void updateFused(float reduced, bool makeScale);
    void updateUnfused(float reduced, bool makeScale);
    void roll(float newest);
    void makeScaleFrom(float amax);

    DelayedScalingRule m_rule;
    std::vector<float> m_older;  // rows 1..L-1 as a ring; m_oldest is row 1
    size_t m_oldest = 0;
    float m_staged = 0;
    float m_scale = 1;
    bool m_scaleMade = false;
    int64_t m_updates = 0;
};

}  // namespace octet::scaling
