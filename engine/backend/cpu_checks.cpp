// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu_checks.h"

#include "engine/backend/device_check_rows.h"
#include "engine/numerics/quantise.h"
#include "engine/numerics/quantise_reference.h"

namespace octet::backend {
namespace {

using checks::Input;
using checks::Rows;
using numerics::CastStatistics;
using numerics::Fp8Format;
using numerics::QuantiseSpec;

constexpr int64_t kLengths[] = {0, 1, 7, 15, 16, 17, 63, 64, 65, 300, 1024, 4095, 4096, 4097, 9000};
constexpr float kScales[] = {1.0f, 57.3f, 1e-36f, 1e30f};

void compareStatistics(Rows& rows, const CastStatistics& found, const CastStatistics& expected) {
    rows.same("underflows", found.underflows, expected.underflows);
    rows.same("overflows", found.overflows, expected.overflows);
    rows.same("saturated", found.saturated, expected.saturated);
    rows.same("NaN", found.nans, expected.nans);
    rows.same("infinities", found.infinities, expected.infinities);
    rows.same("amax", found.amax, expected.amax);
    rows.near("squared error", found.squaredError, expected.squaredError, 0);
    rows.near("sum of squares", found.sumSquares, expected.sumSquares, 0);
    rows.near("sum of cast squares", found.sumSquaresCast, expected.sumSquaresCast, 0);
}

void checkCast(Rows& rows, const Input& input, const QuantiseSpec& spec) {
    rows.begin(checks::rowName(input, 0, numerics::formatName(spec.format)));
    std::vector<float> values(input.values.size()), expectedValues(input.values.size());
    std::vector<uint8_t> codes(input.values.size()), expectedCodes(input.values.size());
    const CastStatistics found = numerics::quantise(input.values, values, spec);
    const CastStatistics foundWithCodes = numerics::quantiseToCodes(input.values, codes, spec);
    const CastStatistics expected =
        numerics::quantiseReference(input.values, expectedValues.data(), expectedCodes.data(), spec);
    rows.same("value", values, expectedValues);
    rows.same("code", codes, expectedCodes);
    compareStatistics(rows, found, expected);
    compareStatistics(rows, foundWithCodes, expected);
}

CheckResult simdCastCheck() {
    Rows rows("simd.cast", 1);
    for (const int64_t length : kLengths) {
        for (const checks::Values kind : checks::kAllValues) {
            const Input input =
                checks::makeInput(ElementType::Float32, 1, length, kind, static_cast<uint64_t>(length) + 11);
            for (const Fp8Format format : {Fp8Format::E4M3, Fp8Format::E5M2}) {
                for (const float scale : kScales)
                    checkCast(rows, input, {format, scale, length % 2 == 1, numerics::StatisticsLevel::Errors});
            }
        }
    }
    return rows.result();
}

CheckResult everyCodeCheck() {
    Rows rows("codes", 1);
    for (const Fp8Format format : {Fp8Format::E4M3, Fp8Format::E5M2}) {
        for (int code = 0; code < 256; ++code) {
            const float value = checks::decodeAs(format, static_cast<uint8_t>(code));
            std::string row = numerics::formatName(format);
            row += " code ";
            row += std::to_string(code);
            rows.begin(row);
            const bool nan = value != value, infinite = scaling::isInfinite(value);
            const int back = nan ? 0x7F : infinite ? (code & 0x80) | 0x7B : code;  // infinity saturates
            rows.same("code of its value", uint64_t{checks::encodeAs(format, value)}, static_cast<uint64_t>(back));
        }
    }
    return rows.result();
}

}  // namespace

std::vector<CheckResult> checkCpu() {
    return {everyCodeCheck(), simdCastCheck()};
}

}  // namespace octet::backend
