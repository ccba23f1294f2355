// SPDX-License-Identifier: Apache-2.0
// The linear under torchao's recipes against torchao_linear.json (torchao 0.18.0, emulate=True): codes and scales of
// every operand exact, the three products within the bound that torchao itself keeps. Row counts are printed.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <QtTest>
#include <cmath>
#include <map>

#include "engine/model/fp8_linear_torch.h"
#include "engine/recipe/gemm_plan.h"
#include "tests/support/golden.h"

using namespace octet;
using namespace octet::model;
using numerics::Fp8Format;

namespace {

at::Tensor tensorOf(const std::vector<float>& values, int64_t rows, int64_t cols) {
    at::Tensor t = at::empty({rows, cols}, at::kFloat);
    std::copy(values.begin(), values.end(), t.mutable_data_ptr<float>());
    return t;
}

std::vector<float> valuesOf(const at::Tensor& tensor) {
    const at::Tensor flat = tensor.detach().contiguous();
    return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

template <typename T>
std::vector<T> transposed(const std::vector<T>& in, int64_t rows, int64_t cols) {
    std::vector<T> out(in.size());
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; ++c)
            out[static_cast<size_t>(c * rows + r)] = in[static_cast<size_t>(r * cols + c)];
    }
    return out;
}

std::vector<double> doublesFromWords(const std::string& words) {
    std::vector<double> values;
    for (const QByteArray& word : QByteArray::fromStdString(words).split(' '))
        values.push_back(std::bit_cast<double>(static_cast<uint64_t>(word.toULongLong(nullptr, 16))));
    return values;
}

/// One golden problem and the layer that runs it.
struct Problem {
    int64_t m, k, n;
    std::string dtype, weightDtype, gradDtype;
    bool bf16;
    at::Tensor x, w, dy;
    std::optional<at::Tensor> bias;

    explicit Problem(const Json& data)
        : m(data["m"]),
          k(data["k"]),
          n(data["n"]),
          dtype(data["dtype"]),
          weightDtype(data["w_dtype"]),
          gradDtype(data["grad_output_dtype"]),
          bf16(gradDtype == "bfloat16"),
          x(tensorOf(tests::floatsFromWordsOf(dtype, data["x"]), m, k).set_requires_grad(true)),
          w(tensorOf(tests::floatsFromWordsOf(weightDtype, data["w"]), n, k).set_requires_grad(true)),
          dy(tensorOf(tests::floatsFromWordsOf(gradDtype, data["grad_output"]), m, n)) {
        if (!data["bias"].get<bool>()) return;
        bias = tensorOf(tests::floatsFromWordsOf(weightDtype, data["b"]), 1, n).view({n}).set_requires_grad(true);
    }
};

recipe::LayerPlan planFor(const std::string& name) {
    recipe::Recipe recipe;
    recipe.backend = recipe::Backend::Ao;
    recipe.ao.config = name == "tensorwise" ? recipe::AoConfig::Tensorwise
                       : name == "rowwise"  ? recipe::AoConfig::Rowwise
                                            : recipe::AoConfig::RowwiseWithGwHp;
    recipe::LayerPlan plan;
    plan.gemms = recipe::gemmPlans(recipe, nullptr);
    for (size_t g = 0; g < plan.fp8.size(); ++g)
        plan.fp8[g] = plan.gemms[g].fp8;
    return plan;
}

/// An operand as torchao's file has it: what the codes are worth, in the layout of our tensor.
struct GoldenOperand {
    std::vector<uint8_t> codes;
    std::vector<float> scales;
};

GoldenOperand goldenOperand(const Json& golden, bool isWeight) {
    GoldenOperand operand{tests::bytesFromHex(golden["codes"]), tests::floatsFromWords(golden["scale"])};
    if (isWeight) operand.codes = transposed(operand.codes, golden["shape"][0], golden["shape"][1]);
    return operand;
}

void compareBound(const std::vector<float>& got, const std::vector<double>& exact, const std::vector<double>& bound,
                  const QString& where) {
    QCOMPARE(got.size(), exact.size());
    for (size_t i = 0; i < got.size(); ++i) {
        if (!std::isfinite(exact[i])) {
            QVERIFY2(!std::isfinite(got[i]), qPrintable(where));
            continue;
        }
        const double off = std::abs(static_cast<double>(got[i]) - exact[i]);
        QVERIFY2(off <= bound[i], qPrintable(QString("%1, %2: got %3, exact %4, bound %5")
                                                 .arg(where)
                                                 .arg(i)
                                                 .arg(static_cast<double>(got[i]))
                                                 .arg(exact[i])
                                                 .arg(bound[i])));
    }
}

/// sum |a b| over the contracted dimension. @param a [rows, inner]; @param b [inner, cols]
std::vector<double> magnitudes(const std::vector<float>& a, const std::vector<float>& b, int64_t rows, int64_t inner,
                               int64_t cols) {
    std::vector<double> sums(static_cast<size_t>(rows * cols));
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t p = 0; p < inner; ++p) {
            for (int64_t j = 0; j < cols; ++j) {
                sums[static_cast<size_t>(i * cols + j)] +=
                    std::abs(static_cast<double>(a[static_cast<size_t>(i * inner + p)]) *
                             static_cast<double>(b[static_cast<size_t>(p * cols + j)]));
            }
        }
    }
    return sums;
}

}  // namespace

class TstTorchaoLinear final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void operandsAreExact();
    void productsKeepTheBound();

private:
    [[nodiscard]] Problem problem(const Json& golden) const { return Problem(m_data.at(golden["data"])); }
    void compareOperand(const Problem& data, const Json& golden, const std::string& name,
                        const recipe::OperandCast& cast, Contracts contracts);

    Json m_golden;
    std::map<std::string, Json> m_data;
    std::unique_ptr<backend::Backend> m_cpu = backend::makeCpuBackend(2);
    int m_operands = 0;
};

void TstTorchaoLinear::initTestCase() {
    m_golden = tests::goldenJson("torchao_linear.json");
    for (const Json& data : m_golden["data"])
        m_data[data["name"]] = data;
}

void TstTorchaoLinear::compareOperand(const Problem& data, const Json& golden, const std::string& name,
                                      const recipe::OperandCast& cast, Contracts contracts) {
    const bool isWeight = name.ends_with(".b") && !name.starts_with("grad_weight");
    const bool isGradient = name == "grad_input.a" || name == "grad_weight.a";
    const at::Tensor tensor = (isWeight ? data.w : isGradient ? data.dy : data.x).detach();
    const GoldenOperand expected = goldenOperand(golden, isWeight);
    const QString where = QString::fromStdString(name);
    const CastRequest request{cast, contracts, 1.0f, data.bf16 && !isWeight, numerics::StatisticsLevel::Errors};
    CastOutcome outcome;
    const std::vector<float> values = valuesOf(castOperand(*m_cpu, tensor, request, outcome).values);
    // The same cast once more, for its codes and scales.
    scaling::TileCastSpec spec = tileCastSpec(request);
    spec.givenScale = outcome.scale;
    std::vector<float> again(values.size()), scales(static_cast<size_t>(tensor.size(0) + tensor.size(1)));
    std::vector<uint8_t> codes(values.size());
    (void)scaling::castTiles(
        {tensor.const_data_ptr<float>(), tensor.size(0), tensor.size(1), again.data(), codes.data(), scales.data()},
        spec);
    if (cast.hasManyScales()) {
        scales.resize(static_cast<size_t>(contracts == Contracts::Columns ? tensor.size(0) : tensor.size(1)));
    } else {
        scales.assign(expected.scales.size(), outcome.scale);  // torchao repeats it at times
    }
    QCOMPARE(scales.size(), expected.scales.size());
    for (size_t i = 0; i < scales.size(); ++i)
        QVERIFY2(tests::sameFloat(scales[i], expected.scales[i]), qPrintable(where));
    const std::vector<float> in = valuesOf(tensor);
    for (size_t i = 0; i < codes.size(); ++i) {
        QVERIFY2(tests::sameFloat(values[i], again[i]), qPrintable(where));
        // The sign of a NaN that arithmetic made belongs to the machine.
        const bool madeNan = (codes[i] & 0x7F) == 0x7F && (!std::isnan(in[i]) || std::isnan(scales[0]));
        QVERIFY2(codes[i] == expected.codes[i] || (madeNan && (expected.codes[i] & 0x7F) == 0x7F), qPrintable(where));
    }
    ++m_operands;
}

void TstTorchaoLinear::operandsAreExact() {
    m_operands = 0;
    for (const Json& golden : m_golden["cases"]) {
        const Problem data = problem(golden);
        const recipe::LayerPlan plan = planFor(golden["recipe"]);
        const struct {
            const char* name;
            const recipe::OperandCast& cast;
            Contracts contracts;
        } operands[] = {
            {"output.a", plan.gemms[0].a, Contracts::Columns},     {"output.b", plan.gemms[0].b, Contracts::Columns},
            {"grad_input.a", plan.gemms[1].a, Contracts::Columns}, {"grad_input.b", plan.gemms[1].b, Contracts::Rows},
            {"grad_weight.a", plan.gemms[2].a, Contracts::Rows},   {"grad_weight.b", plan.gemms[2].b, Contracts::Rows}};
        for (const auto& operand : operands) {
            QCOMPARE(golden["operands"].contains(operand.name), operand.cast.fp8);
            if (operand.cast.fp8) {
                compareOperand(data, golden["operands"][operand.name], operand.name, operand.cast, operand.contracts);
            }
            if (QTest::currentTestFailed()) {
                qWarning("%s, %s, %s", golden["data"].dump().c_str(), golden["recipe"].dump().c_str(), operand.name);
                return;
            }
        }
    }
    QCOMPARE(m_operands, 240);
    qInfo("torchao_linear.json: codes and scales of %d operands exact", m_operands);
}

void TstTorchaoLinear::productsKeepTheBound() {
    int products = 0;
    for (const Json& golden : m_golden["cases"]) {
        Problem data = problem(golden);
        Fp8Linear linear(planFor(golden["recipe"]), std::nullopt, data.w, data.bias);
        PassContext context;
        context.bf16Activations = data.bf16;
        const at::Tensor y = linear.forward(data.x, *m_cpu, context);
        y.backward(data.dy);
        const QString where =
            QString::fromStdString(golden["data"].get<std::string>() + ", " + golden["recipe"].get<std::string>());
        // Magnitudes of the operands before the cast stand for those after it: they differ by less than 1 in 8.
        const std::vector<float> x = valuesOf(data.x), w = valuesOf(data.w), dy = valuesOf(data.dy);
        const auto wt = transposed(w, data.n, data.k);
        const struct {
            const char* gemm;
            std::vector<float> got;
            std::vector<double> sums;
            int64_t inner;
        } results[] = {{"output", valuesOf(y), magnitudes(x, wt, data.m, data.k, data.n), data.k},
                       {"grad_input", valuesOf(data.x.grad()), magnitudes(dy, w, data.m, data.n, data.k), data.n},
                       {"grad_weight", valuesOf(data.w.grad()),
                        magnitudes(transposed(dy, data.m, data.n), x, data.n, data.m, data.k), data.m}};
        for (size_t g = 0; g < 3; ++g) {
            std::vector<double> exact = doublesFromWords(golden["gemms"][g]["exact"]), bound;
            QCOMPARE(golden["gemms"][g]["gemm"].get<std::string>(), std::string(results[g].gemm));
            for (size_t i = 0; i < exact.size(); ++i) {
                double magnitude = std::abs(exact[i]);
                if (g == 0 && data.bias) {  // torchao rounds the product, then the sum
                    exact[i] += static_cast<double>(valuesOf(*data.bias)[i % static_cast<size_t>(data.n)]);
                    magnitude += std::abs(exact[i]);
                }
                const double sum = 1.125 * results[g].sums[i];
                bound.push_back(static_cast<double>(results[g].inner) * 0x1p-24 * sum + 0x1p-23 * magnitude +
                                (data.bf16 ? 0x1p-8 * magnitude : 0.0));
            }
            compareBound(results[g].got, exact, bound, where + ", " + results[g].gemm);
            ++products;
            if (QTest::currentTestFailed()) return;
        }
    }
    QCOMPARE(products, 135);
    qInfo("torchao_linear.json: %d products within the stated bound", products);
}

QTEST_GUILESS_MAIN(TstTorchaoLinear)
#include "tst_torchao_linear.moc"
