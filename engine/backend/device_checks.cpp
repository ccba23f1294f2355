// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/device_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "engine/backend/device_check_rows.h"
#include "engine/numerics/exponents.h"
#include "engine/scaling/delayed_scaling.h"

namespace octet::backend {
namespace checks {

using numerics::Fp8Format;

namespace {

constexpr ElementType kTypes[] = {ElementType::Float32, ElementType::Bf16, ElementType::Float16};

FoundWords expectedAmax(const float* values, int64_t count, int64_t stride) {
    FoundWords found{};
    for (int64_t i = 0; i < count; ++i) {
        const uint32_t bits = numerics::bitsOf(values[i * stride]) & ~numerics::kSignBit;
        if (bits < numerics::kInfinityBits)
            found.finiteBits = std::max(found.finiteBits, bits);
        else
            (bits == numerics::kInfinityBits ? found.hasInfinity : found.hasNan) = 1;
    }
    return found;
}

void compareFound(Rows& rows, const FoundWords& found, const FoundWords& expected) {
    rows.same("amax", numerics::floatOf(found.finiteBits), numerics::floatOf(expected.finiteBits));
    rows.same("NaN flag", uint64_t{found.hasNan}, uint64_t{expected.hasNan});
    rows.same("infinity flag", uint64_t{found.hasInfinity}, uint64_t{expected.hasInfinity});
}

}  // namespace

CheckResult amaxCheck(Device& device, int every) {
    Rows rows("amax", every);
    for (int64_t n = 0; n <= 300; ++n) {
        for (const ElementType type : kTypes) {
            const auto kind = kAllValues[n % 8];
            const int64_t offset = (n + static_cast<int64_t>(type)) % 8;
            if (!rows.wanted()) continue;
            const Input input = makeInput(type, 1, n, kind, static_cast<uint64_t>(n));
            const DeviceInput x(device, input, offset);
            rows.begin(rowName(input, offset, "whole tensor"));
            DeviceBuffer<FoundWords> found(device, 1);
            found.zero();
            device.call(device.table().amax, &x.view(), found.get());
            compareFound(rows, found.download()[0], expectedAmax(input.values.data(), n, 1));
        }
    }
    return rows.result();
}

CheckResult axisAmaxCheck(Device& device, int every) {
    Rows rows("amax.axes", every);
    for (const auto& [m, k] : {std::array<int64_t, 2>{1, 1}, {3, 17}, {130, 5}, {33, 300}, {7, 257}, {257, 31}}) {
        for (const ElementType type : kTypes) {
            for (const Values kind : kAllValues) {
                if (!rows.wanted()) continue;
                const Input input = makeInput(type, m, k, kind, static_cast<uint64_t>(m * k));
                const DeviceInput x(device, input, 1);
                rows.begin(rowName(input, 1, "rows and columns"));
                DeviceBuffer<FoundWords> ofRows(device, static_cast<size_t>(m)),
                    ofColumns(device, static_cast<size_t>(k));
                ofRows.zero();
                ofColumns.zero();
                device.call(device.table().axisAmax, &x.view(), ofRows.get(), ofColumns.get());
                const auto foundRows = ofRows.download(), foundColumns = ofColumns.download();
                for (int64_t r = 0; r < m; ++r)
                    compareFound(rows, foundRows[static_cast<size_t>(r)],
                                 expectedAmax(&input.values[static_cast<size_t>(r * k)], k, 1));
                for (int64_t c = 0; c < k; ++c)
                    compareFound(rows, foundColumns[static_cast<size_t>(c)],
                                 expectedAmax(&input.values[static_cast<size_t>(c)], m, k));
            }
        }
    }
    return rows.result();
}

CheckResult currentScaleCheck(Device& device, int every) {
    Rows rows("scales.current", every);
    const Input amaxes = makeInput(ElementType::Float32, 1, 4000, Values::Wide, 7);
    std::vector<FoundWords> words;
    for (const float amax : amaxes.values) {
        const auto bits = numerics::bitsOf(amax) & ~numerics::kSignBit;
        words.push_back({bits, words.size() % 97 == 0, words.size() % 89 == 0});
        // Next to where 448 / amax is a power of two, float32 log2 rounds onto the integer.
        words.push_back(
            {(bits & numerics::kInfinityBits) + 0x600000u + static_cast<uint32_t>(words.size() % 60), 0, 0});
    }
    words.push_back({0, 0, 0});
    const DeviceBuffer<FoundWords> found(device, std::span<const FoundWords>(words));
    for (int variant = 0; variant < 16; ++variant) {
        if (!rows.wanted()) continue;
        const CurrentScaleRule rule{variant & 1 ? ScaleLibrary::Torchao : ScaleLibrary::Te,
                                    variant & 2 ? Fp8Format::E5M2 : Fp8Format::E4M3, (variant & 4) != 0,
                                    variant & 8 ? 1e-4f : 0.0f};
        rows.begin("rule " + std::to_string(variant) + " on " + std::to_string(words.size()) + " amaxes");
        DeviceBuffer<float> scales(device, words.size()), inverses(device, words.size());
        device.call(device.table().currentScales, found.get(), static_cast<int64_t>(words.size()), &rule, scales.get(),
                    inverses.get());
        std::vector<float> expected, expectedInverses;
        for (const FoundWords& word : words) {
            expected.push_back(currentScale(foundAmax(word), rule));
            expectedInverses.push_back(1.0f / expected.back());
        }
        rows.same("scale", scales.download(), expected);
        rows.same("scale_inv", inverses.download(), expectedInverses);
    }
    return rows.result();
}

namespace {

/// One tensor's rule, its state on the CPU, and where its history lies on the device.
struct DelayedPair {
    scaling::DelayedScalingRule rule;
    scaling::DelayedScaling state;
    std::unique_ptr<DeviceBuffer<float>> older;
};

std::vector<DelayedPair> delayedPairs(Device& device) {
    std::vector<DelayedPair> pairs;
    for (const int length : {1, 2, 3, 16, 100, 300}) {
        for (int variant = 0; variant < 8; ++variant) {
            scaling::DelayedScalingRule rule;
            rule.historyLen = length;
            rule.algo = variant & 1 ? scaling::AmaxAlgo::MostRecent : scaling::AmaxAlgo::Max;
            rule.path = variant & 2 ? scaling::UpdatePath::Unfused : scaling::UpdatePath::Fused;
            rule.fp8Max = variant & 4 ? 57344.0f : 448.0f;
            rule.margin = variant - 3;
            rule.interval = variant == 5 ? 3 : 1;
            auto older = std::make_unique<DeviceBuffer<float>>(device, static_cast<size_t>(length - 1));
            older->zero();
            pairs.push_back({rule, scaling::DelayedScaling(rule), std::move(older)});
        }
    }
    return pairs;
}

DelayedTensor startOf(const DelayedPair& pair) {
    DelayedTensor tensor{};
    tensor.older = pair.older->get();
    tensor.olderRows = static_cast<uint32_t>(pair.rule.historyLen - 1);
    tensor.fp8Max = pair.rule.fp8Max;
    tensor.margin = pair.rule.margin;
    tensor.algo = pair.rule.algo;
    tensor.path = pair.rule.path;
    tensor.interval = static_cast<uint32_t>(pair.rule.interval);
    tensor.scale = tensor.scaleInv = 1.0f;
    return tensor;
}

/// What a step's casts saw, of every kind that the rules treat differently.
FoundWords stagedAt(int step, size_t tensor) {
    const Input random = makeInput(ElementType::Float32, 1, 1, step % 5 == 4 ? Values::Wide : Values::Normal,
                                   static_cast<uint64_t>(step) * 131 + tensor);
    FoundWords found{numerics::bitsOf(random.values[0]) & ~numerics::kSignBit, 0, 0};
    const size_t special = static_cast<size_t>(step) * 7 + tensor;
    if (special % 11 == 0) found.finiteBits = 0;
    if (special % 23 == 0) found.hasInfinity = 1;
    if (special % 13 == 0) found.hasNan = 1;
    return found;
}

}  // namespace

CheckResult delayedCheck(Device& device, int every) {
    Rows rows("scales.delayed", every);
    auto pairs = delayedPairs(device);
    std::vector<DelayedTensor> tensors;
    for (const DelayedPair& pair : pairs)
        tensors.push_back(startOf(pair));
    for (int step = 0; step < 60 / every + 1; ++step) {
        for (size_t i = 0; i < pairs.size(); ++i) {
            tensors[i].found = stagedAt(step, i);
            pairs[i].state.stage(scaling::teAmax(foundAmax(tensors[i].found)));
            pairs[i].state.update();
        }
        const DeviceBuffer<DelayedTensor> onDevice(device, std::span<const DelayedTensor>(tensors));
        device.call(device.table().updateDelayed, onDevice.get(), static_cast<int64_t>(tensors.size()));
        tensors = onDevice.download();
        for (size_t i = 0; i < pairs.size(); ++i) {
            rows.begin("tensor " + std::to_string(i) + " of " + std::to_string(pairs.size()) + ", update " +
                       std::to_string(step));
            rows.same("scale", tensors[i].scale, pairs[i].state.scale());
            rows.same("scale_inv", tensors[i].scaleInv, pairs[i].state.scaleInv());
            rows.same("cold", uint64_t{tensors[i].scaleMade == 0}, uint64_t{pairs[i].state.isCold()});
            const auto ring = pairs[i].older->download();
            auto history = pairs[i].state.history();
            for (size_t row = 0; row < ring.size(); ++row)
                rows.same("history", ring[(tensors[i].oldest + row) % ring.size()], history[row + 1]);
        }
    }
    return rows.result();
}

CheckResult exponentCheck(Device& device, int every) {
    Rows rows("exponents", every);
    for (const int64_t n : {0, 1, 31, 255, 300, 5000}) {
        for (const ElementType type : kTypes) {
            for (const Values kind : kAllValues) {
                if (!rows.wanted()) continue;
                const Input input = makeInput(type, 1, n, kind, static_cast<uint64_t>(n) + 5);
                const DeviceInput x(device, input, 1);
                rows.begin(rowName(input, 1, "counts"));
                DeviceBuffer<uint64_t> counts(device, kExponentSlots);
                counts.zero();
                device.call(device.table().exponents, &x.view(), counts.get());
                const auto found = counts.download();
                const auto expected = numerics::countExponents(input.values);
                for (size_t e = 0; e < 256; ++e)
                    rows.same("exponent", found[e], expected.normal[e]);
                rows.same("zeros", found[kZerosSlot], expected.zeros);
                rows.same("subnormals", found[kSubnormalsSlot], expected.subnormals);
                rows.same("infinities", found[kInfinitiesSlot], expected.infinities);
                rows.same("NaN", found[kNansSlot], expected.nans);
            }
        }
    }
    return rows.result();
}

}  // namespace checks

namespace {

struct NamedCheck {
    const char* name;
    CheckResult (*run)(Device&, int every);
};
constexpr NamedCheck kChecks[] = {{"amax", checks::amaxCheck},
                                  {"amax.axes", checks::axisAmaxCheck},
                                  {"scales.current", checks::currentScaleCheck},
                                  {"scales.delayed", checks::delayedCheck},
                                  {"cast", checks::castCheck},
                                  {"cast.axes", checks::axisCastCheck},
                                  {"cast.determinism", checks::determinismCheck},
                                  {"block.float", checks::floatBlockCheck},
                                  {"block.mx", checks::mxBlockCheck},
                                  {"dequantise", checks::dequantiseCheck},
                                  {"exponents", checks::exponentCheck},
                                  {"gemm", checks::gemmCheck}};

}  // namespace

std::vector<std::string> checkNames() {
    std::vector<std::string> names;
    for (const NamedCheck& check : kChecks)
        names.emplace_back(check.name);
    return names;
}

std::vector<CheckResult> checkDevice(Device& device, const CheckOptions& options) {
    std::vector<CheckResult> results;
    for (const NamedCheck& check : kChecks) {
        const bool wanted = options.only.empty() ||
                            std::find(options.only.begin(), options.only.end(), check.name) != options.only.end();
        if (!wanted) continue;
        options.onStart(check.name);
        results.push_back(check.run(device, options.every));
    }
    return results;
}

}  // namespace octet::backend
