// SPDX-License-Identifier: Apache-2.0
// What the checks of device_checks.h share: inputs of every kind and element type, comparison, counting of rows.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "engine/backend/device_checks.h"

namespace octet::backend::checks {

/// Which values an input holds.
enum class Values { Normal, Wide, Subnormal, Huge, WithNan, WithInfinity, WithBoth, Zeros };
inline constexpr Values kAllValues[] = {Values::Normal,  Values::Wide,         Values::Subnormal, Values::Huge,
                                        Values::WithNan, Values::WithInfinity, Values::WithBoth,  Values::Zeros};

/// A matrix in its own element type, with the same values in float32.
struct Input {
    ElementType type;
    Values kind;
    int64_t rows, columns;
    std::vector<uint8_t> raw;
    std::vector<float> values;
};
[[nodiscard]] Input makeInput(ElementType type, int64_t rows, int64_t columns, Values kind, uint64_t seed);

/// An input on the device, `offset` elements behind an aligned address.
class DeviceInput {
public:
    DeviceInput(Device& device, const Input& input, int64_t offset)
        : m_buffer(device, std::span<const uint8_t>(shifted(input, offset))),
          m_view{m_buffer.get() + offset * bytesOf(input.type), input.type, input.rows, input.columns} {}

    [[nodiscard]] const TensorView& view() const { return m_view; }

private:
    static std::vector<uint8_t> shifted(const Input& input, int64_t offset) {
        std::vector<uint8_t> bytes(static_cast<size_t>(offset * bytesOf(input.type)), 0xFF);
        bytes.insert(bytes.end(), input.raw.begin(), input.raw.end());
        return bytes;
    }
    DeviceBuffer<uint8_t> m_buffer;
    TensorView m_view;
};

/// Counts the rows of one check and keeps the first failure.
class Rows {
public:
    Rows(std::string name, int every) : m_every(every) { m_result.name = std::move(name); }

    /// Whether this row is among those that run.
    bool wanted() { return m_seen++ % m_every == 0; }
    void begin(std::string row) {
        m_row = std::move(row);
        ++m_result.rows;
        m_failed = false;
    }
    void fail(const std::string& what) {
        if (m_failed) return;
        m_failed = true;
        if (m_result.failures++ == 0) m_result.firstFailure = m_row + ": " + what;
    }
    /// Bit for bit, NaN payloads aside.
    void same(const char* what, float found, float expected);
    void same(const char* what, uint64_t found, uint64_t expected);
    void same(const char* what, const std::vector<uint8_t>& found, const std::vector<uint8_t>& expected);
    void same(const char* what, const std::vector<float>& found, const std::vector<float>& expected);
    /// |found - expected| <= bound
    void near(const char* what, double found, double expected, double bound);

    [[nodiscard]] CheckResult result() const { return m_result; }

private:
    int m_every;
    int m_seen = 0;
    bool m_failed = false;
    std::string m_row;
    CheckResult m_result;
};

[[nodiscard]] std::string rowName(const Input& input, int64_t offset, const std::string& rest);
[[nodiscard]] uint8_t encodeAs(numerics::Fp8Format format, float scaled);
[[nodiscard]] float decodeAs(numerics::Fp8Format format, uint8_t code);

/// Compares the device's totals with the counters of the reference at one scale per element.
struct ExpectedTotals {
    uint64_t elements = 0, underflows = 0, overflows = 0, saturated = 0, nans = 0, infinities = 0;
    float amax = 0;
    double squaredError = 0, sumSquares = 0, sumSquaresCast = 0;

    void count(numerics::Fp8Format format, float x, float scale);
};
void compareTotals(Rows& rows, const CastTotals& found, const ExpectedTotals& expected, bool errorSums);

[[nodiscard]] CheckResult amaxCheck(Device& device, int every);
[[nodiscard]] CheckResult axisAmaxCheck(Device& device, int every);
[[nodiscard]] CheckResult currentScaleCheck(Device& device, int every);
[[nodiscard]] CheckResult delayedCheck(Device& device, int every);
[[nodiscard]] CheckResult castCheck(Device& device, int every);
[[nodiscard]] CheckResult axisCastCheck(Device& device, int every);
[[nodiscard]] CheckResult determinismCheck(Device& device, int every);
[[nodiscard]] CheckResult floatBlockCheck(Device& device, int every);
[[nodiscard]] CheckResult mxBlockCheck(Device& device, int every);
[[nodiscard]] CheckResult dequantiseCheck(Device& device, int every);
[[nodiscard]] CheckResult exponentCheck(Device& device, int every);
[[nodiscard]] CheckResult gemmCheck(Device& device, int every);

}  // namespace octet::backend::checks
