// An attention call with its data: seeded inputs, in heap buffers of exactly the size that the operation may access, so
// that AddressSanitizer reports any access outside.
#pragma once

#include <vector>

#include "attention.h"

namespace wasm_attention {

struct AttentionSizes {
  int batch = 1, heads = 1, kvHeads = 1, queries = 1, keys = 1, width = 1, valueWidth = 1;
};

/// Shapes of masks and biases.
enum class Broadcast {
  kNone,
  kFull,        // (B, H, L, S)
  kKeys,        // (B, 1, 1, S)
  kQueries,     // (1, 1, L, S)
  kColumn,      // (1, H, L, 1), repeated
  kShort,       // (B, 1, L, ceil(S / 2)), the rest masked
  kTransposed,  // (B, H, S, L); only a bias of the forward pass
};

enum class ValidLens { kNone, kPerBatch, kPerQuery };
enum class Offsets { kNone, kForward, kBackward };

struct AttentionChoices {
  bool headsInterleaved = false;  // (B, L, H, E) instead of (B, H, L, E), as projections write them
  ValidLens validLens = ValidLens::kNone;
  int windowLeft = -1, windowRight = -1;
  Offsets offsets = Offsets::kNone;
  Broadcast mask = Broadcast::kNone, bias = Broadcast::kNone;
  bool biasMasks = false;                              // some biases are -infinity
  int relativeKeysClip = -1, relativeValuesClip = -1;  // -1: none
  bool relativePerHead = false;
  bool alibi = false, sinks = false;
  bool packed = false;
  float softcap = 0, dropout = 0;
  bool weights = false, logSumExp = false;
  ScoresStage scoresStage = ScoresStage::kNone;
};

class AttentionProblem {
 public:
  AttentionProblem(const AttentionSizes& sizes, const AttentionChoices& choices, unsigned seed);

  // Not copyable, because the arguments point into it.
  AttentionProblem(const AttentionProblem&) = delete;
  AttentionProblem& operator=(const AttentionProblem&) = delete;

  const AttentionArgs& args() const { return args_; }
  AttentionArgs& args() { return args_; }

  /// Calls the operation, after filling outputs and scratch with NaN.
  void run();

  /// Overwrites the keys and values that no query sees with NaN and infinities. Returns their number.
  int poison();

  /// Element (b, h, i, e) of the output in either layout.
  float outputAt(int b, int h, int i, int e) const;

  std::vector<float> query, key, value, output;
  std::vector<int32_t> validLens, offsets;
  std::vector<uint8_t> mask;
  std::vector<float> bias, relativeKeys, relativeValues, alibiSlopes, sinks;
  std::vector<PackedQuery> packed;
  std::vector<float> weights, scores, logSumExp, scratch;

 private:
  void place(const AttentionSizes& sizes, bool side_by_side);
  void place(const AttentionChoices& choices, unsigned seed);

  AttentionArgs args_{};
};

}  // namespace wasm_attention
