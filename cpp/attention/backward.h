// The steps of attention's backward pass.
//
// A tile of kBackwardGroups groups of eight queries meets all the keys that it may see at once: a group's weights and the
// gradients of its scores, [key][8 queries], fit the cache at common lengths and are linear in the number of keys at any.
// So the softmax is the exact one, in one go, and nothing is multiplied twice: five products, where recomputing the
// forward pass first would take seven.
#pragma once

#include "attention/group.h"
#include "attention/visible.h"

namespace wasm_attention {

constexpr int kBackwardGroups = 4;
constexpr int kBackwardQueries = kBackwardGroups * kGroup;

/// A table of relative keys or values, its products and its gradient; null where the option is not used.
struct TableWorkspace {
  int rows;           // 2 * clip + 1
  int width;          // of the table, rounded up to whole panels
  float* panels;      // of 4 rows
  float* columns;     // panels of 8 columns
  float* terms;       // (rows, 8): what each row adds to a group's entries; then what their gradients sum to
  float* transposed;  // panels of 4 rows, a tile's queries deep
  float* gradient;    // (rows, width)
  bool finite;
};

/// What a call's scratch is cut into.
struct BackwardWorkspace {
  int firstSequence;    // where the gradients of queries, keys, values and outputs begin
  AttentionArgs plain;  // the arguments without what the backward pass does itself: softcap, dropout, results
  Workspace weights;    // its block: scores of all keys, then weights
  Workspace slopes;     // the same with another block: gradients of the weights, then of the scores
  int width, valueWidth;
  float* softcapSlopes;  // (S, 8): softcap's derivative, where there is one

  float* valuePanels;  // of 4 values
  float* keyColumns;   // panels of 8 columns, `seen` keys deep
  Interval seen;       // what was packed of the current head; `begin` is a multiple of 4
  bool keysFinite;

  float* gradOutput;         // panel of a group: (Ev, 8)
  float* queryColumns;       // panels of 8 columns of a tile's scaled queries
  float* gradOutputColumns;  // and of the gradients of their outputs
  bool queriesFinite, gradOutputsFinite;

  // Panels of four keys, kBackwardQueries deep: the left operands of the products over the queries.
  float* weightPanels;
  float* slopePanels;

  float* gradQuery;  // (8, width) of a group, before the scale
  float* gradKey;    // (S, width) of a head
  float* gradValue;  // (S, valueWidth)
  TableWorkspace relativeKeys, relativeValues;
  float* kept;   // the forward pass's weights, or null
  int64_t size;  // floats in all

  BackwardWorkspace(const AttentionArgs& args, float* scratch);
};

/// A row of a stack of matrices.
template <typename T>
inline T* rowOf(T* stack, Strides strides, int b, int h, int row) {
  return stack + static_cast<ptrdiff_t>(b) * strides.batch + static_cast<ptrdiff_t>(h) * strides.head +
         static_cast<ptrdiff_t>(row) * strides.row;
}

/// Keys and values of one head, and no gradients yet.
void packBackwardHead(const AttentionArgs& a, BackwardWorkspace& w, int b, int kv_head);

/// A table (rows, depth), the left operand of one product and the right one of another.
void packTable(const float* table, int depth, TableWorkspace& t);

/// Queries and gradients of their outputs, the right operands of the products over the queries.
void packTile(const AttentionArgs& a, BackwardWorkspace& w, const float* query, const float* grad_output, int count);

/// Weights of a group by the exact softmax, unnormalised, in w.weights.block; g.sum is their sum.
void recomputeWeights(const BackwardWorkspace& w, Group& g, BlockRange keys);

/// The same out of what was kept.
void recallWeights(const AttentionArgs& a, BackwardWorkspace& w, Group& g, BlockRange keys);

/// w.slopes.block: from gradients of the dropped-out weights to those of the masked scores. w.weights.block becomes the
/// weights as the values are mixed by. Where a weight is 0 the slope is, whatever the masked value holds.
void differentiateSoftmax(const AttentionArgs& a, const BackwardWorkspace& w, const Group& g, BlockRange keys);

/// Slopes of the capped scores to those of the scaled ones.
void differentiateSoftcap(const BackwardWorkspace& w, BlockRange keys);

/// gradBias += slopes, by the bias's strides.
void addBiasGradient(const AttentionArgs& a, const BackwardWorkspace& w, const Group& g, BlockRange keys, float* bias);

/// block (rows, 8) to panels of four rows at queries `index * 8` and on.
void transposeBlock(const float* block, int rows, int index, float* panels);

/// A group's block to panels that begin at the first of the tile's keys, zeros where the group sees none.
void placeBlock(const float* block, BlockRange keys, BlockRange tile, int index, float* panels);

/// What a product's right operand may hold. Where that is NaN or infinity too, entries of 0 on the left skip what they
/// would meet.
enum class Right { kFinite, kAny };

/// out (rows, width) += left * columns: `left` in panels of four rows, kBackwardQueries deep, of which `depth` count;
/// columns in panels of 8, `depth` deep.
void addPanelProduct(const float* left, const float* columns, Right right, int rows, int depth, int width, float* out);

/// out (8, width) += left^T * columns: left (depth, 8), columns in panels of 8 that are `panel_depth` deep.
void addBlockProduct(const float* left, const float* columns, Right right, int depth, int panel_depth, int width,
                     float* out);

inline Right rightOperand(bool finite) { return finite ? Right::kFinite : Right::kAny; }

}  // namespace wasm_attention
