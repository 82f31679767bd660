// Cache rows against the definitions of their types, and attention over them against attention over the unpacked rows.
#include "attention/cache_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention/attend_one.h"
#include "expect_attention.h"
#include "half_oracle.h"
#include "random.h"

namespace wasm_attention {
namespace {

using Floats = std::vector<float>;

const int kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65};
const WeightType kSmall[] = {WeightType::kFloat16, WeightType::kInt8};

/// These numbers as a row keeps them, by definition.
Floats rounded(const float* x, int width, WeightType type) {
  Floats kept(x, x + width);
  if (type == WeightType::kFloat16) {
    for (float& each : kept) each = static_cast<float>(defined(nearestHalf(each)));
  } else if (type == WeightType::kInt8) {
    float most = 0;
    for (const float each : kept) most = std::max(most, std::fabs(each));
    const float scale = most / 127, inverse = 127 / most;
    for (float& each : kept) each = most == 0 ? 0 : std::nearbyint(each * inverse) * scale;
  }
  return kept;
}

/// Packed rows, in memory of exactly their size.
Floats pack(const Floats& rows, int width, WeightType type) {
  const size_t count = rows.size() / width, size = cacheRowSize(width, type);
  Floats packed(count * size, NAN);
  for (size_t i = 0; i < count; ++i) packCacheRow(&rows[i * width], width, type, &packed[i * size]);
  return packed;
}

Floats unpack(const Floats& packed, int width, WeightType type) {
  const auto size = cacheRowSize(width, type);
  const auto count = static_cast<int>(packed.size() / size);
  Floats rows(static_cast<size_t>(count) * width, NAN);
  unpackCacheRows(packed.data(), size, count, width, type, rows.data());
  return rows;
}

TEST(CacheRows, RoundNumbersAsDefined) {
  unsigned seed = 1;
  for (const WeightType type : {WeightType::kFloat32, WeightType::kFloat16, WeightType::kInt8}) {
    for (const int width : kSizes) {
      for (const float size : {1e-7f, 1.0f, 1e4f}) {
        const Floats rows = randomFloats(size_t{3} * width, seed++, size);
        const Floats kept = unpack(pack(rows, width, type), width, type);
        for (int i = 0; i < 3; ++i) {
          const Floats expected = rounded(&rows[i * width], width, type);
          for (int e = 0; e < width; ++e) ASSERT_EQ(kept[i * width + e], expected[e]) << width << " " << int(type);
        }
      }
    }
  }
}

TEST(CacheRows, TakeHalfAndAQuarterOfTheMemory) {
  EXPECT_EQ(cacheRowSize(64, WeightType::kFloat32), 64);
  EXPECT_EQ(cacheRowSize(64, WeightType::kFloat16), 32);
  EXPECT_EQ(cacheRowSize(64, WeightType::kInt8), 17);
  EXPECT_EQ(cacheRowSize(5, WeightType::kFloat16), 4);
  EXPECT_EQ(cacheRowSize(5, WeightType::kInt8), 3);
}

TEST(CacheRows, KeepZerosAndNonFiniteNumbers) {
  for (const int width : {1, 4, 7}) {
    const Floats zeros(width, 0.0f);
    for (const WeightType type : kSmall) {
      EXPECT_EQ(unpack(pack(zeros, width, type), width, type), zeros);
      for (const float special : {NAN, INFINITY}) {
        Floats row = randomFloats(width, 1);
        row[width - 1] = special;
        const Floats kept = unpack(pack(row, width, type), width, type);
        // An int8 row has a single scale.
        if (type == WeightType::kInt8) {
          for (const float each : kept) EXPECT_TRUE(std::isnan(each));
        } else {
          EXPECT_EQ(std::isnan(kept[width - 1]), std::isnan(special));
          EXPECT_EQ(std::isinf(kept[width - 1]), std::isinf(special));
          EXPECT_TRUE(width == 1 || std::isfinite(kept[0]));
        }
      }
    }
  }
}

/// Compares attention over packed keys and values with the oracle's over the unpacked ones.
void checkAttention(const AttentionSizes& sizes, const AttentionChoices& choices, WeightType type, unsigned seed) {
  AttentionProblem problem(sizes, choices, seed);
  const Floats key = pack(problem.key, sizes.width, type), value = pack(problem.value, sizes.valueWidth, type);
  // The arguments point into these.
  const Floats kept_key = unpack(key, sizes.width, type), kept_value = unpack(value, sizes.valueWidth, type);
  std::copy(kept_key.begin(), kept_key.end(), problem.key.begin());
  std::copy(kept_value.begin(), kept_value.end(), problem.value.begin());
  std::fill(problem.output.begin(), problem.output.end(), NAN);
  std::fill(problem.weights.begin(), problem.weights.end(), NAN);
  AttentionArgs args = problem.args();
  args.keyType = args.valueType = type;
  const auto strides = [&](int width) {
    const int row = static_cast<int>(cacheRowSize(width, type)), head = row * sizes.keys;
    return Strides{head * sizes.kvHeads, head, row};
  };
  args.key = key.data();
  args.keyStrides = strides(sizes.width);
  args.value = value.data();
  args.valueStrides = strides(sizes.valueWidth);
  Floats scratch(scaledDotProductAttentionScratch(args), NAN);
  scaledDotProductAttention(args, scratch.data());
  expectAgreement(problem);
}

TEST(CacheRows, AreReadByAttention) {
  unsigned seed = 1;
  for (const WeightType type : kSmall) {
    for (const int queries : {1, 2, 9}) {
      for (const int keys : {1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 127, 128, 129, 257}) {
        for (const int width : {1, 3, 4, 8, 9, 33}) {
          AttentionChoices choices;
          choices.weights = seed % 2 == 0;
          SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys of " << width);
          checkAttention({2, 4, 2, queries, keys, width, seed % 3 == 0 ? 5 : width}, choices, type, seed++);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST(CacheRows, AreReadThroughWindowsAndMasks) {
  unsigned seed = 1;
  for (const WeightType type : kSmall) {
    for (const int queries : {1, 5}) {
      for (const int keys : {9, 130}) {
        AttentionChoices windowed, masked, scored;
        windowed.windowLeft = 70;
        windowed.windowRight = 0;
        windowed.offsets = Offsets::kForward;
        windowed.weights = true;
        masked.mask = Broadcast::kKeys;
        scored.scoresStage = ScoresStage::kMasked;
        for (const AttentionChoices& choices : {windowed, masked, scored}) {
          checkAttention({3, 2, 1, queries, keys, 5, 7}, choices, type, seed++);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST(CacheRows, AreAppendedAfterThoseOfThePast) {
  constexpr int kBatch = 2, kTokens = 3, kHeads = 2, kWidth = 5, kCapacity = 6, kPast = 2;
  constexpr int kStride = kHeads * kWidth + 3;
  const Floats x = randomFloats(size_t{kBatch} * kTokens * kStride, 1);
  for (const WeightType type : {WeightType::kFloat32, WeightType::kFloat16, WeightType::kInt8}) {
    const auto size = static_cast<int>(cacheRowSize(kWidth, type));
    Floats cache(size_t{kBatch} * kHeads * kCapacity * size, -7.0f);
    appendTokens(x.data(), kStride, kBatch, kTokens, {cache.data(), kPast, kCapacity, kHeads, kWidth, type});
    for (int b = 0; b < kBatch; ++b) {
      for (int h = 0; h < kHeads; ++h) {
        for (int t = 0; t < kCapacity; ++t) {
          const Floats row(&cache[((b * kHeads + h) * kCapacity + t) * size],
                           &cache[((b * kHeads + h) * kCapacity + t) * size] + size);
          if (t < kPast || t >= kPast + kTokens) {
            EXPECT_EQ(row, Floats(size, -7.0f));
          } else {
            const float* const from = &x[(b * kTokens + t - kPast) * kStride + h * kWidth];
            EXPECT_EQ(unpack(row, kWidth, type), rounded(from, kWidth, type));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace wasm_attention
