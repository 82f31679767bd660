#include "simd/f32x4.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace wasm_attention {
namespace {

const f32x4 kSample{1, -2, 3.5f, -0.25f};

void expectLanes(f32x4 v, float a, float b, float c, float d) {
  EXPECT_EQ(v[0], a);
  EXPECT_EQ(v[1], b);
  EXPECT_EQ(v[2], c);
  EXPECT_EQ(v[3], d);
}

TEST(F32x4, LoadsAndStoresUnalignedAndWithinBounds) {
  for (int shift = 0; shift < kLanes; ++shift) {
    // The buffer ends with the last lane, so AddressSanitizer reports a longer access.
    std::vector<float> buffer(shift + kLanes, 7.0f);
    store(buffer.data() + shift, kSample);
    const f32x4 v = load(buffer.data() + shift);
    expectLanes(v, 1, -2, 3.5f, -0.25f);
    for (int i = 0; i < shift; ++i) EXPECT_EQ(buffer[i], 7);
  }
}

TEST(F32x4, MultipliesAndAddsLanesAndScalars) {
  const f32x4 b{4, 0.5f, -2, 8};
  const f32x4 c{-1, 3, 0.25f, -7};
  expectLanes(multiplyAdd(kSample, b, c), 3, 2, -6.75f, -9);
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(multiplyAdd(kSample[lane], b[lane], c[lane]), multiplyAdd(kSample, b, c)[lane]);
  }
}

TEST(F32x4, SplatsAValueToAllLanes) {
  expectLanes(splat(2.5f), 2.5f, 2.5f, 2.5f, 2.5f);
  const std::vector<float> one{-3};
  expectLanes(loadSplat(one.data()), -3, -3, -3, -3);
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(splat(int32_t{-5})[lane], -5);
    EXPECT_EQ(splat(uint32_t{0xffffffff})[lane], 0xffffffff);
  }
}

TEST(F32x4, TakesTheMaximumOfEachLane) {
  expectLanes(max(kSample, f32x4{0, -1, 3.5f, kInfinity}), 1, -1, 3.5f, kInfinity);
  expectLanes(max(splat(-kInfinity), kSample), 1, -2, 3.5f, -0.25f);
}

TEST(F32x4, MaxKeepsNaNInItsFirstOperandAndDropsItInTheSecond) {
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_TRUE(std::isnan(max(splat(NAN), kSample)[lane]));
    EXPECT_EQ(max(kSample, splat(NAN))[lane], kSample[lane]);
  }
}

TEST(F32x4, SelectsLaneByLane) {
  const f32x4 a{1, 2, 3, 4};
  const f32x4 b{5, 6, NAN, 8};
  expectLanes(select(a < f32x4{0, 3, 4, 4}, a, b), 5, 2, 3, 8);
  // NaN in unselected lanes has no effect.
  EXPECT_EQ(select(b == b, b, a)[2], 3);
}

TEST(F32x4, FindsATrueLaneAtEveryIndex) {
  EXPECT_FALSE(anyTrue(i32x4{0, 0, 0, 0}));
  for (int lane = 0; lane < kLanes; ++lane) {
    i32x4 mask{0, 0, 0, 0};
    mask[lane] = -1;
    EXPECT_TRUE(anyTrue(mask)) << lane;
  }
}

TEST(F32x4, SumsItsLanes) {
  EXPECT_EQ(sum(kSample), 2.25f);
  EXPECT_TRUE(std::isnan(sum(f32x4{0, 0, NAN, 0})));
}

TEST(F32x4, FindsTheLargestLaneAtEveryIndex) {
  for (int lane = 0; lane < kLanes; ++lane) {
    f32x4 v{-8, -9, -10, -11};
    v[lane] = -7;
    EXPECT_EQ(max(v), -7) << lane;
  }
  EXPECT_EQ(max(splat(-kInfinity)), -kInfinity);
}

TEST(F32x4, TransposesRows) {
  f32x4 rows[kLanes];
  for (int r = 0; r < kLanes; ++r) {
    for (int c = 0; c < kLanes; ++c) rows[r][c] = 10 * r + c;
  }
  transpose(rows[0], rows[1], rows[2], rows[3]);
  for (int r = 0; r < kLanes; ++r) {
    for (int c = 0; c < kLanes; ++c) EXPECT_EQ(rows[r][c], 10 * c + r);
  }
}

}  // namespace
}  // namespace wasm_attention
