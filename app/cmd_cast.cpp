// SPDX-License-Identifier: Apache-2.0
// octet-engine cast: raw float32 in, FP8 codes out. The door for other people's test vectors.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "app/commands.h"
#include "app/context.h"
#include "engine/core/files.h"
#include "engine/core/text.h"
#include "engine/numerics/fp8_scalar.h"
#include "engine/numerics/quantise.h"

namespace octet::app {
namespace {

using numerics::CastPolicy;
using numerics::Fp8Format;

constexpr CommandText kText{
    "cast", "Cast raw float32 values to FP8 codes",
    "Reads little-endian float32, multiplies by the scale, rounds to nearest even, and writes one byte a value. "
    "satfinite is CUDA's and Transformer Engine's rule (saturates, NaN is 0x7f), torchao clamps and keeps NaN's "
    "sign, plain is torch's own cast, which does not saturate.",
    "octet-engine cast --format e4m3 --scale 56 --in x.f32 --out x.e4m3\n"
    "octet-engine cast --format e5m2 --policy torchao --in dy.f32 --out dy.e5m2 --json"};

struct CastOptions {
    std::string format, policy = "satfinite", in, out, scale = "1";
};

template <Fp8Format F>
void encodeAll(const std::vector<float>& values, float scale, CastPolicy policy, std::vector<uint8_t>& codes) {
    for (size_t i = 0; i < values.size(); ++i)
        codes[i] = numerics::encode<F>(values[i] * scale, policy);
}

Result<float> scaleFrom(const std::string& text) {
    const auto value = parseNumber(text);
    const auto scale = static_cast<float>(value.value_or(0));
    if (value && std::isfinite(scale) && scale > 0) return scale;
    return Error{ErrorCode::Usage,
                 fmt::format("Expected --scale as a finite float32 number above 0, found \"{}\".", text),
                 "The scale multiplies before the cast: 448 / amax for E4M3."};
}

Result<std::vector<float>> readFloats(const std::string& path) {
    const auto bytes = readFile(path);
    if (!bytes) return bytes.error();
    if (bytes->size() % sizeof(float) != 0) {
        return Error{ErrorCode::Usage,
                     fmt::format("Expected raw float32 values, but {} has {} bytes, which 4 does not divide.", path,
                                 bytes->size()),
                     "Write the tensor without a header, for example with numpy's tofile()."};
    }
    std::vector<float> values(bytes->size() / sizeof(float));
    std::memcpy(values.data(), bytes->data(), bytes->size());
    return values;
}

void report(const Context& context, const numerics::CastStatistics& statistics, const CastOptions& options) {
    if (context.json) {
        printJson({{"elements", statistics.elements},
                   {"amax", statistics.amax},
                   {"nan", statistics.nans},
                   {"inf", statistics.infinities},
                   {"underflows%", statistics.underflowPercent()},
                   {"overflows%", statistics.overflowPercent()},
                   {"saturated%", statistics.saturatedPercent()},
                   {"mse", jsonNumber(statistics.meanSquaredError())},
                   {"sqnr", jsonNumber(statistics.sqnrDb())}});
        return;
    }
    fmt::print("{} codes into {}; amax {:g}, underflow {:.4g} %, saturated {:.4g} %, {} NaN, {} Inf\n",
               groupedDigits(static_cast<long long>(statistics.elements)), options.out, statistics.amax,
               statistics.underflowPercent(), statistics.saturatedPercent(), statistics.nans, statistics.infinities);
}

Result<void> cast(const Context& context, const CastOptions& options) {
    const auto scale = scaleFrom(options.scale);
    if (!scale) return scale.error();
    const auto values = readFloats(options.in);
    if (!values) return values.error();
    const Fp8Format format = options.format == "e4m3" ? Fp8Format::E4M3 : Fp8Format::E5M2;
    std::vector<uint8_t> codes(values->size());
    const auto statistics =
        numerics::quantiseToCodes(*values, codes, {format, *scale, false, numerics::StatisticsLevel::Errors});
    if (options.policy != "satfinite") {
        const CastPolicy policy = options.policy == "torchao" ? CastPolicy::Torchao : CastPolicy::Plain;
        if (format == Fp8Format::E4M3)
            encodeAll<Fp8Format::E4M3>(*values, *scale, policy, codes);
        else
            encodeAll<Fp8Format::E5M2>(*values, *scale, policy, codes);
    }
    const std::string_view bytes(reinterpret_cast<const char*>(codes.data()), codes.size());
    if (auto written = writeFileAtomically(options.out, bytes); !written) return written;
    report(context, statistics, options);
    return {};
}

}  // namespace

void addCastCommand(CLI::App& app, Context& context) {
    const auto options = std::make_shared<CastOptions>();
    CLI::App& command = addCommand(app, context, kText, [&context, options] { return cast(context, *options); });
    command.add_option("--format", options->format, "e4m3 or e5m2")
        ->required()
        ->transform(CLI::IsMember({"e4m3", "e5m2"}, CLI::ignore_case))  // check() would leave E4M3 as typed
        ->type_name("FORMAT");
    command.add_option("--scale", options->scale, "Multiplies before the cast")->capture_default_str()->type_name("S");
    command.add_option("--policy", options->policy, "satfinite, torchao or plain")
        ->transform(CLI::IsMember({"satfinite", "torchao", "plain"}, CLI::ignore_case))
        ->capture_default_str()
        ->type_name("POLICY");
    command.add_option("--in", options->in, "Raw little-endian float32")->required()->type_name("FILE");
    command.add_option("--out", options->out, "One byte a code")->required()->type_name("FILE");
}

}  // namespace octet::app
