// SPDX-License-Identifier: Apache-2.0
#include "engine/train/benchmarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>

#include "engine/core/hash.h"
#include "engine/core/text.h"
#include "engine/numerics/quantise.h"
#include "engine/series/pyramid.h"
#include "engine/store/writer.h"
#include "engine/train/experiment.h"
#include "engine/train/run_recorder.h"

namespace octet::train {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
using Results = std::vector<BenchResult>;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, static_cast<size_t>(q * static_cast<double>(values.size())))];
}

double median(const std::vector<double>& values) {
    return quantile(values, 0.5);
}

/// Deterministic values spread over a few octaves, as activations are.
std::vector<float> someValues(size_t n) {
    std::vector<float> values(n);
    for (size_t i = 0; i < n; ++i)
        values[i] = static_cast<float>((mixedUnit(i) - 0.5) * std::exp2(6 * mixedUnit(i + n)));
    return values;
}

constexpr numerics::QuantiseSpec specAt(numerics::StatisticsLevel level) {
    return {numerics::Fp8Format::E4M3, 14.0f, false, level};
}

/// Median seconds of `body` over `rounds` calls.
template <typename Body>
double medianSeconds(int rounds, const Body& body) {
    std::vector<double> seconds;
    for (int i = 0; i < rounds; ++i) {
        const auto start = Clock::now();
        body();
        seconds.push_back(secondsSince(start));
    }
    return median(seconds);
}

Result<Results> benchCastCached(const BenchOptions&) {
    const auto in = someValues(16'384);
    std::vector<float> out(in.size());
    Results results;
    const auto nanosecondsAt = [&](numerics::StatisticsLevel level) {
        constexpr int kCalls = 200;
        const double seconds = medianSeconds(21, [&] {
            for (int i = 0; i < kCalls; ++i)
                (void)numerics::quantise(in, out, specAt(level));
        });
        return seconds * 1e9 / (kCalls * static_cast<double>(in.size()));
    };
    const double bare = nanosecondsAt(numerics::StatisticsLevel::Amax);
    const double counters = nanosecondsAt(numerics::StatisticsLevel::Counters);
    const double errors = nanosecondsAt(numerics::StatisticsLevel::Errors);
    results.push_back(
        {"cast.cached", counters, "ns/element", counters / 0.45,
         fmt::format("budget 0.45 with counters; amax only {:.3f}, with error sums {:.3f}; one thread, {}", bare,
                     errors, numerics::simdTargetName())});
    return results;
}

Result<Results> benchCastMemory(const BenchOptions&) {
    const auto in = someValues(size_t{1} << 25);
    std::vector<float> out(in.size());
    const double gigabytes = 2.0 * 4.0 * static_cast<double>(in.size()) / 1e9;
    std::vector<double> ratios, rates, copyRates;
    for (int round = 0; round < 11; ++round) {
        const double copy = medianSeconds(1, [&] { std::memcpy(out.data(), in.data(), in.size() * sizeof(float)); });
        const double cast =
            medianSeconds(1, [&] { (void)numerics::quantise(in, out, specAt(numerics::StatisticsLevel::Counters)); });
        rates.push_back(gigabytes / cast);
        copyRates.push_back(gigabytes / copy);
        ratios.push_back(copy / cast);
    }
    return Results{
        {"cast.memory", median(rates), "GB/s", median(ratios),
         fmt::format("memcpy of the same 128 MiB, {:.1f} GB/s (read and written), one thread", median(copyRates))}};
}

/// The trainers of the step bench, advanced in turn.
struct StepBench {
    struct Entry {
        const char* preset;
        int64_t statisticsEvery;
        std::unique_ptr<RunTrainer> trainer;
        std::vector<double> milliseconds;
    };
    std::vector<Entry> entries;

    [[nodiscard]] std::vector<double> ratios(size_t a, size_t b) const {
        std::vector<double> all;
        for (size_t i = 0; i < entries[a].milliseconds.size(); ++i) {
            all.push_back(entries[a].milliseconds[i] / entries[b].milliseconds[i]);
        }
        return all;
    }
};

constexpr int64_t kNever = 10'000'000;

Result<std::unique_ptr<RunTrainer>> benchTrainer(const BenchOptions& options, const StepBench::Entry& entry,
                                                 int steps) {
    recipe::RunSpec spec;
    spec.recipes = {entry.preset};
    spec.model = options.model;
    spec.data = "synthetic:1";
    spec.steps = steps;
    spec.statisticsEvery = entry.statisticsEvery;
    spec.exponentsEvery = entry.statisticsEvery == 1 ? spec.exponentsEvery : 0;
    auto prepared = prepareExperiment(spec);
    if (!prepared) return prepared.error();
    return std::make_unique<RunTrainer>(
        RunSetup{spec, prepared->model, prepared->runs[0].plan, prepared->corpus, 1, 0.0});
}

/// Advances trainers of the entries (preset, statistics every n steps) in turn.
Result<StepBench> measureSteps(const BenchOptions& options,
                               const std::vector<std::pair<const char*, int64_t>>& recipes) {
    constexpr int kWarmUp = 2;
    StepBench bench;
    for (const auto& [preset, statisticsEvery] : recipes) {
        StepBench::Entry entry{preset, statisticsEvery, nullptr, {}};
        auto trainer = benchTrainer(options, entry, options.pairs + kWarmUp);
        if (!trainer) return trainer.error();
        entry.trainer = std::move(*trainer);
        bench.entries.push_back(std::move(entry));
    }
    for (int step = 1; step <= options.pairs + kWarmUp; ++step) {
        // Every second round backwards, so that no entry always runs after the same one.
        for (size_t k = 0; k < bench.entries.size(); ++k) {
            StepBench::Entry& entry = bench.entries[step % 2 == 0 ? k : bench.entries.size() - 1 - k];
            const StepResult result = entry.trainer->step(step, [](int64_t, const std::vector<OperandSample>&) {});
            if (step > kWarmUp) entry.milliseconds.push_back(result.milliseconds);
        }
    }
    return bench;
}

Result<Results> benchSteps(const BenchOptions& options) {
    const auto bench = measureSteps(
        options,
        {{"preset:baseline", 1}, {"preset:hybrid-16", 1}, {"preset:baseline", 1}, {"preset:hybrid-16", kNever}});
    if (!bench) return bench.error();
    const double baseline = median(bench->entries[0].milliseconds);
    const double fp8 = median(bench->ratios(1, 0)), control = median(bench->ratios(2, 0));
    const double statistics = 100.0 * (1.0 - 1.0 / median(bench->ratios(1, 3)));
    const double tokens = 1024.0 * 1000.0 / median(bench->entries[1].milliseconds);
    return Results{
        {"step.fp8", median(bench->entries[1].milliseconds), "ms", fp8,
         fmt::format("BF16 baseline step {:.1f} ms; control (baseline against itself) {:.3f}; {} interleaved pairs; "
                     "budget 1.10; torchao's CPU emulation 2.1 to 2.6; {} tokens/s",
                     baseline, control, options.pairs, groupedDigits(static_cast<long long>(tokens)))},
        {"statistics", statistics, "% of the step", statistics / 5.0,
         "the same FP8 step with amax only; budget 5 %; exponent counts every 16 steps included"}};
}

/// One recipe's step beside the baseline's.
struct RecipeStep {
    const char* name;
    const char* preset;
    double budget;
};
constexpr RecipeStep kRecipeSteps[] = {{"step.current", "preset:te-current", 1.10},
                                       {"step.tensorwise", "preset:ao-tensorwise", 1.10},
                                       {"step.rowwise", "preset:ao-rowwise", 1.20},
                                       {"step.block", "preset:te-block", 1.30},
                                       {"step.mx", "preset:mxfp8", 1.30}};

Result<Results> benchRecipeStep(const RecipeStep& recipe, const BenchOptions& options) {
    const auto bench = measureSteps(options, {{"preset:baseline", 1}, {recipe.preset, 1}});
    if (!bench) return bench.error();
    const auto& layers = bench->entries[1].trainer->setup().plan.layers;
    const auto converted = std::ranges::count_if(layers, &octet::recipe::LayerPlan::converted);
    return Results{
        {recipe.name, median(bench->entries[1].milliseconds), "ms", median(bench->ratios(1, 0)),
         fmt::format("BF16 baseline step {:.1f} ms; {} interleaved pairs; budget {:.2f}; {} of {} Linears in "
                     "FP8",
                     median(bench->entries[0].milliseconds), options.pairs, recipe.budget, converted, layers.size())}};
}

/// A store in the temporary folder that goes away with this object.
class ScratchStore {
public:
    ScratchStore() : m_path(fs::temp_directory_path() / fmt::format("octet-bench-{}.octet", getpid())) {}
    ~ScratchStore() {
        std::error_code ignored;
        for (const char* tail : {"", "-wal", "-shm"})
            fs::remove(m_path.string() + tail, ignored);
    }
    ScratchStore(const ScratchStore&) = delete;
    ScratchStore& operator=(const ScratchStore&) = delete;
    [[nodiscard]] const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

struct StoreRun {
    std::vector<double> commitMs;
    double seconds = 0;
};

/// `commits` commits of `perCommit` samples of 2,000 series.
Result<StoreRun> fillStore(int commits, int perCommit) {
    const ScratchStore scratch;
    auto writer = store::Writer::open(scratch.path(), {.create = true});
    if (!writer) return writer.error();
    auto experiment = (*writer)->addExperiment({"bench", Json::object(), std::nullopt});
    if (!experiment) return experiment.error();
    store::NewRun row;
    row.experiment = *experiment;
    row.name = "bench";
    auto run = (*writer)->addRun(row);
    if (!run) return run.error();
    auto attempt = (*writer)->beginAttempt(*run);
    if (!attempt) return attempt.error();
    std::vector<store::SeriesKey> keys;
    for (int i = 0; i < 2000; ++i)
        keys.push_back({fmt::format("layer.{}", i), "input", "", "amax", ""});
    auto group = (*writer)->addGroup(*run, "update", keys);
    if (!group) return group.error();
    const auto values = someValues(keys.size());
    StoreRun result;
    const auto start = Clock::now();
    for (int commit = 0; commit < commits; ++commit) {
        for (int i = 0; i < perCommit; ++i)
            (*writer)->append(*group, {static_cast<double>(commit * perCommit + i), 0, 0}, values);
        const auto commitStart = Clock::now();
        if (auto done = (*writer)->commit(); !done) return done.error();
        result.commitMs.push_back(1000.0 * secondsSince(commitStart));
    }
    if (auto ended = (*writer)->endAttempt(*attempt, store::RunState::Done); !ended) return ended.error();
    result.seconds = secondsSince(start);
    return result;
}

Result<Results> benchStore(const BenchOptions&) {
    const auto paced = fillStore(600, 10);
    if (!paced) return paced.error();
    const auto bulk = fillStore(60, 200);
    if (!bulk) return bulk.error();
    const double rate = 60.0 * 200.0 * 2000.0 / bulk->seconds / 1e6;
    const double p95 = quantile(paced->commitMs, 0.95);
    return Results{{"store.samples", rate, "M samples/s", rate / 5.0,
                    "budget 5 M samples/s; 2,000 series, 200 samples a commit, sealing included"},
                   {"store.commit", p95, "ms (p95)", p95 / 5.0,
                    fmt::format("budget 5 ms; 2,000 series, 10 samples a commit; median {:.2f}, worst {:.1f} ms",
                                median(paced->commitMs), quantile(paced->commitMs, 1.0))}};
}

Result<Results> benchOverview(const BenchOptions&) {
    constexpr int64_t kSamples = 100'000'000;
    series::Pyramid pyramid;
    const auto part = someValues(1'000'000);
    const auto start = Clock::now();
    for (int64_t done = 0; done < kSamples; done += static_cast<int64_t>(part.size()))
        pyramid.append(part);
    const double build = secondsSince(start);
    volatile float sink = 0;
    const double query =
        1000.0 * medianSeconds(11, [&] { sink = sink + pyramid.columns(0, kSamples, 1600).front().max; });
    const double naive = 1000.0 * medianSeconds(3, [&] {
                             for (int64_t k = 0; k < kSamples / static_cast<int64_t>(part.size()); ++k)
                                 sink = sink + series::extremesOf(part).max;
                         });
    return Results{
        {"overview", query, "ms", query / 100.0,
         fmt::format("budget 100 ms for 10^8 samples in 1,600 columns; a plain scan {:.0f} ms, the pyramid is "
                     "built in {:.2f} s",
                     naive, build)}};
}

struct Benchmark {
    std::vector<std::string> names;
    std::string doing;
    std::function<Result<Results>(const BenchOptions&)> run;
};

std::vector<Benchmark> allBenchmarks() {
    std::vector<Benchmark> all{{{"step.fp8", "statistics"}, "Training steps, FP8 and baseline in turn", benchSteps}};
    for (const RecipeStep& recipe : kRecipeSteps) {
        all.push_back({{recipe.name},
                       fmt::format("Training steps, {} and baseline in turn", recipe.preset),
                       [&recipe](const BenchOptions& options) { return benchRecipeStep(recipe, options); }});
    }
    all.push_back({{"cast.cached"}, "Casts inside the cache", benchCastCached});
    all.push_back({{"cast.memory"}, "Casts of tensors larger than the cache", benchCastMemory});
    all.push_back({{"store.samples", "store.commit"}, "Writing 2,000 series into a store", benchStore});
    all.push_back({{"overview"}, "Overview of 100,000,000 samples", benchOverview});
    return all;
}

const std::vector<Benchmark>& benchmarks() {
    static const std::vector<Benchmark> all = allBenchmarks();
    return all;
}

Result<void> checkNames(const std::vector<std::string>& only) {
    std::vector<std::string> known;
    for (const Benchmark& benchmark : benchmarks())
        known.insert(known.end(), benchmark.names.begin(), benchmark.names.end());
    for (const std::string& name : only) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        return Error{ErrorCode::Usage, fmt::format("There is no benchmark \"{}\".", name),
                     fmt::format("Known are {}.", fmt::join(known, ", "))};
    }
    return {};
}

}  // namespace

Result<std::vector<BenchResult>> runBenchmarks(const std::vector<std::string>& only, const BenchOptions& options,
                                               const std::function<void(const std::string&)>& onStart) {
    if (auto checked = checkNames(only); !checked) return checked.error();
    const auto wanted = [&](const std::string& name) {
        return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
    };
    (void)prepareDevice(0);
    Results all;
    for (const Benchmark& benchmark : benchmarks()) {
        if (std::none_of(benchmark.names.begin(), benchmark.names.end(), wanted)) continue;
        onStart(benchmark.doing);
        auto results = benchmark.run(options);
        if (!results) return results.error();
        std::copy_if(results->begin(), results->end(), std::back_inserter(all),
                     [&](const BenchResult& result) { return wanted(result.name); });
    }
    return all;
}

std::string benchMachine() {
    return prepareDevice(0);
}

}  // namespace octet::train
