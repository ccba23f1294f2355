// SPDX-License-Identifier: Apache-2.0
// Passes over whole tensors: results equal the one-span passes and do not depend on the number of threads.
#include <ATen/Parallel.h>

#include <QtTest>
#include <cmath>
#include <random>

#include "engine/backend/parallel_blocks.h"
#include "engine/numerics/fp8_scalar.h"

using namespace octet;
using namespace octet::numerics;

namespace {

constexpr size_t kElements = 5 * 8 * kBlockElements + 77;  // several tasks and a ragged end

std::vector<float> someInput() {
    std::mt19937 random(7);
    std::normal_distribution<float> gauss;
    std::vector<float> values(kElements);
    for (float& value : values)
        value = gauss(random);
    values[12'345] = NAN;
    values[99'999] = INFINITY;
    return values;
}

}  // namespace

class TstParallelBlocks final : public QObject {
    Q_OBJECT

private slots:
    void sumsDoNotDependOnThreads();
    void valuesEqualTheSerialPass();
    void exponentsEqualTheSerialCount();
    void bf16RoundingReachesEveryElement();
    void anEmptyTensorIsFine();
};

void TstParallelBlocks::sumsDoNotDependOnThreads() {
    const auto input = someInput();
    std::vector<float> out(input.size());
    const QuantiseSpec spec{Fp8Format::E4M3, 100.0f, true, StatisticsLevel::Errors};
    std::vector<CastStatistics> results;
    for (const int threads : {1, 2, 3, 7}) {
        at::set_num_threads(threads);
        results.push_back(backend::quantiseParallel(input, out, spec));
    }
    for (const CastStatistics& result : results) {
        QCOMPARE(result.squaredError, results[0].squaredError);
        QCOMPARE(result.sumSquares, results[0].sumSquares);
        QCOMPARE(result.sumSquaresCast, results[0].sumSquaresCast);
        QCOMPARE(result.underflows, results[0].underflows);
        QCOMPARE(result.amax, results[0].amax);
        QCOMPARE(result.nans, uint64_t{1});
        QCOMPARE(result.infinities, uint64_t{1});
    }
    QVERIFY(results[0].squaredError > 0);
}

void TstParallelBlocks::valuesEqualTheSerialPass() {
    const auto input = someInput();
    std::vector<float> parallel(input.size()), serial(input.size());
    const QuantiseSpec spec{Fp8Format::E5M2, 3.0f, false, StatisticsLevel::Counters};
    at::set_num_threads(2);
    (void)backend::quantiseParallel(input, parallel, spec);
    (void)quantise(input, serial, spec);
    for (size_t i = 0; i < input.size(); ++i)
        QVERIFY(bitsOf(parallel[i]) == bitsOf(serial[i]));
}

void TstParallelBlocks::exponentsEqualTheSerialCount() {
    const auto input = someInput();
    at::set_num_threads(2);
    QVERIFY(backend::countExponentsParallel(input) == countExponents(input));
}

void TstParallelBlocks::bf16RoundingReachesEveryElement() {
    auto input = someInput();
    const auto before = input;
    at::set_num_threads(2);
    backend::roundToBf16Parallel(input, input);
    for (size_t i = 0; i < input.size(); ++i)
        QVERIFY(bitsOf(input[i]) == bitsOf(numerics::roundToBf16(before[i])));
}

void TstParallelBlocks::anEmptyTensorIsFine() {
    const auto statistics = backend::quantiseParallel({}, {}, {});
    QCOMPARE(statistics.elements, uint64_t{0});
    QCOMPARE(statistics.underflowPercent(), 0.0);
}

QTEST_GUILESS_MAIN(TstParallelBlocks)
#include "tst_parallel_blocks.moc"
