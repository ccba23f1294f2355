// SPDX-License-Identifier: Apache-2.0
// From a linear's GEMM and its shape to what cuBLASLt is asked for: sizes, padding, scale layouts, refusals in words.
#include <QtTest>

#include "engine/backend/device_gemm.h"

using namespace octet;
using namespace octet::backend;

namespace {

GemmRequest requestFor(GemmKind kind, ScaleMode a = ScaleMode::Tensor, ScaleMode b = ScaleMode::Tensor) {
    GemmRequest request;
    request.layer = "model.layers.3.mlp.down_proj";
    request.kind = kind;
    request.tokens = 256;
    request.inFeatures = 512;
    request.outFeatures = 128;
    request.a.scaling = a;
    request.b.scaling = b;
    return request;
}

}  // namespace

Q_DECLARE_METATYPE(octet::backend::GemmRequest)

class TstDeviceGemm final : public QObject {
    Q_OBJECT

private slots:
    void everyGemmContractsOverItsOwnDimension();
    void fastAccumulationIsOnForFpropOnly();
    void paddingRoundsTheContractionUp_data();
    void paddingRoundsTheContractionUp();
    void whatTheGpuCannotDoIsRefusedInWords_data();
    void whatTheGpuCannotDoIsRefusedInWords();
    void scalesLieAsCublasLtReadsThem();
    void noTokensAreNoTrouble();
};

void TstDeviceGemm::everyGemmContractsOverItsOwnDimension() {
    const auto sizes = [](GemmKind kind) {
        const auto plan = planGemm(requestFor(kind));
        return plan ? QList<int64_t>{plan->m, plan->n, plan->k, plan->aPitch, plan->outPitch} : QList<int64_t>{};
    };
    QCOMPARE(sizes(GemmKind::Fprop), (QList<int64_t>{256, 128, 512, 512, 128}));
    QCOMPARE(sizes(GemmKind::Dgrad), (QList<int64_t>{256, 512, 128, 128, 512}));
    QCOMPARE(sizes(GemmKind::Wgrad), (QList<int64_t>{128, 512, 256, 256, 512}));
}

void TstDeviceGemm::fastAccumulationIsOnForFpropOnly() {
    QVERIFY(defaultFastAccumulation(GemmKind::Fprop, ScaleMode::Tensor));
    QVERIFY(!defaultFastAccumulation(GemmKind::Dgrad, ScaleMode::Tensor));
    QVERIFY(!defaultFastAccumulation(GemmKind::Wgrad, ScaleMode::Row));
    QVERIFY(!defaultFastAccumulation(GemmKind::Fprop, ScaleMode::Block1x128));
    GemmRequest block = requestFor(GemmKind::Fprop, ScaleMode::Block1x128, ScaleMode::Block128x128);
    block.fastAccumulation = true;
    QCOMPARE(planGemm(block).value().fastAccumulation, 0);
}

void TstDeviceGemm::paddingRoundsTheContractionUp_data() {
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("mode");
    QTest::addColumn<int>("k");
    QTest::newRow("5743 tokens to 16") << 5743 << static_cast<int>(ScaleMode::Tensor) << 5744;
    QTest::newRow("one token to 16") << 1 << static_cast<int>(ScaleMode::Tensor) << 16;
    QTest::newRow("16 tokens stay") << 16 << static_cast<int>(ScaleMode::Tensor) << 16;
    QTest::newRow("MX blocks are 32 long") << 33 << static_cast<int>(ScaleMode::Mx1x32) << 64;
}

void TstDeviceGemm::paddingRoundsTheContractionUp() {
    QFETCH(int, tokens);
    QFETCH(int, mode);
    QFETCH(int, k);
    GemmRequest request = requestFor(GemmKind::Wgrad, static_cast<ScaleMode>(mode), static_cast<ScaleMode>(mode));
    request.tokens = tokens;
    request.padInnerDim = true;
    request.capability = mode == static_cast<int>(ScaleMode::Mx1x32) ? 100 : 90;
    const auto plan = planGemm(request);
    QVERIFY2(plan.ok(), plan ? "" : plan.error().message.c_str());
    QCOMPARE(plan->k, int64_t{k});
    QCOMPARE(plan->paddedK, int64_t{k - tokens});
}

void TstDeviceGemm::whatTheGpuCannotDoIsRefusedInWords_data() {
    QTest::addColumn<GemmRequest>("request");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* name, const GemmRequest& request, const QStringList& words) {
        QTest::newRow(name) << request << words;
    };
    GemmRequest request = requestFor(GemmKind::Wgrad);
    request.tokens = 5743;
    row("tokens that 16 does not divide", request,
        {"down_proj", "wgrad", "[128, 5743] x [5743, 512]", "tokens divisible by 16", "5743", "pad_inner_dim"});
    request = requestFor(GemmKind::Fprop);
    request.outFeatures = 10;
    row("a head with ten classes", request, {"fprop", "out_features divisible by 16", "10", "high precision"});
    request = requestFor(GemmKind::Dgrad);
    request.a.type = request.b.type = GemmType::E5M2;
    row("E5M2 by E5M2", request, {"dgrad", "E5M2 by E5M2", "E4M3"});
    request = requestFor(GemmKind::Fprop);
    request.b.type = GemmType::Bf16;
    row("one operand in BF16", request, {"both operands", "E4M3 and BF16"});
    request = requestFor(GemmKind::Fprop, ScaleMode::Mx1x32, ScaleMode::Mx1x32);
    row("MXFP8 on Hopper", request, {"MXFP8 needs compute capability 10.x", "9.0", "--device cpu"});
    request = requestFor(GemmKind::Fprop);
    request.capability = 80;
    row("no FP8 on an A100", request, {"8.9", "8.0", "--device cpu"});
    request = requestFor(GemmKind::Fprop, ScaleMode::Block128x128, ScaleMode::Block128x128);
    row("two operands with square blocks", request, {"128x128", "1x128"});
    request = requestFor(GemmKind::Fprop, ScaleMode::Block1x128, ScaleMode::Block128x128);
    request.capability = 100;
    row("block scaling on Blackwell", request, {"9.0", "10.0", "MXFP8"});
    request = requestFor(GemmKind::Fprop, ScaleMode::Row, ScaleMode::Row);
    request.capability = 120;
    row("rowwise scales on a GeForce", request, {"rowwise", "12.0"});
    request = requestFor(GemmKind::Fprop, ScaleMode::Row, ScaleMode::Row);
    request.out = GemmType::Float32;
    row("rowwise scales with an FP32 result", request, {"BF16 results only"});
}

void TstDeviceGemm::whatTheGpuCannotDoIsRefusedInWords() {
    QFETCH(GemmRequest, request);
    QFETCH(QStringList, words);
    const auto plan = planGemm(request);
    QVERIFY(!plan.ok());
    QCOMPARE(plan.error().code, ErrorCode::Refused);
    const QString text = QString::fromStdString(plan.error().message + " " + plan.error().hint);
    for (const QString& word : words)
        QVERIFY2(text.contains(word), qPrintable("\"" + word + "\" is missing in: " + text));
}

void TstDeviceGemm::scalesLieAsCublasLtReadsThem() {
    const ScaleLayout vector = scaleLayout(ScaleMode::Block1x128, 130, 300);
    QCOMPARE(vector.count, int64_t{132 * 3});
    QCOMPARE(vector.blockStride, int64_t{132});
    QCOMPARE(vector.lineStride, int64_t{1});
    const ScaleLayout square = scaleLayout(ScaleMode::Block128x128, 130, 300);
    QCOMPARE(square.count, int64_t{2 * 4});
    QCOMPARE(square.lineStride, int64_t{4});
    const ScaleLayout mx = scaleLayout(ScaleMode::Mx1x32, 130, 96);
    QVERIFY(mx.swizzled);
    QCOMPARE(mx.count, int64_t{256 * 4});
    QCOMPARE(mx.swizzleTiles, int64_t{1});
    QCOMPARE(scaleLayout(ScaleMode::Row, 130, 96).count, int64_t{130});
    QCOMPARE(scaleLayout(ScaleMode::Tensor, 130, 96).count, int64_t{1});
}

void TstDeviceGemm::noTokensAreNoTrouble() {
    GemmRequest request = requestFor(GemmKind::Wgrad);
    request.tokens = 0;
    const auto plan = planGemm(request);
    QVERIFY(plan.ok());
    QCOMPARE(plan->k, int64_t{0});
}

QTEST_APPLESS_MAIN(TstDeviceGemm)
#include "tst_device_gemm.moc"
