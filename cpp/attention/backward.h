// The steps of attention's backward pass.
//
// A block of eight queries meets all the keys that it may see at once: its weights, and the gradients of its scores, fit the cache at
// common lengths, and take memory linear in the number of keys at any. So the softmax is the exact one, and nothing is multiplied
// twice: there are five products, where recomputing the forward pass first would make it seven. A strip of queries shares the
// products that sum over queries.
#pragma once

#include "attention/query_block.h"
#include "attention/visible.h"

namespace wasm_attention {

/// A table of relative keys or values, its products and its gradient; null where the option is not used.
struct TableWorkspace {
  int rows;           // 2 * clip + 1
  int width;          // of the table, rounded up to whole panels
  float* panels;      // of 4 rows
  float* columns;     // panels of 8 columns
  float* terms;       // (rows, 8): what each row adds to a block's entries; then the sums of their gradients
  float* transposed;  // panels of 4 rows, a strip's queries deep
  float* gradient;    // (rows, width)
  bool finite;
};

/// A call's scratch, cut into pieces.
struct BackwardWorkspace {
  int firstSequence;    // where the gradients of queries, keys, values and outputs begin
  AttentionArgs plain;  // the arguments without what the backward pass does itself: softcap, dropout, results
  Workspace weights;    // its entries, of all keys: scores, then weights
  Workspace slopes;     // its entries, of all keys: gradients of the weights, then of the scores
  int width, valueWidth;
  float* softcapSlopes;  // (S, 8): softcap's derivative; null without a softcap

  float* valuePanels;  // of 4 values
  float* keyColumns;   // panels of 8 columns, `seen` keys deep
  Interval seen;       // the keys that were packed of the current head; `begin` is a multiple of 4
  bool keysFinite;

  float* gradOutput;         // panel of a block of queries: (Ev, 8)
  float* queryColumns;       // panels of 8 columns of a strip's scaled queries
  float* gradOutputColumns;  // panels of 8 columns of the gradients of their outputs
  bool queriesFinite, gradOutputsFinite;

  // Panels of four keys, kStripQueries deep: the left operands of the products that sum over queries.
  float* weightPanels;
  float* slopePanels;

  float* gradQuery;  // (8, width) of a block of queries, before the scale
  float* gradKey;    // (S, width) of a head
  float* gradValue;  // (S, valueWidth)
  TableWorkspace relativeKeys, relativeValues;
  float* kept;   // the forward pass's weights, or null
  int64_t size;  // floats in all

  /// With a null scratch only the sizes are of use.
  BackwardWorkspace(const AttentionArgs& args, float* scratch);
};

/// Packs keys and values of one head, and clears their gradients.
void packBackwardHead(const AttentionArgs& a, BackwardWorkspace& w, int b, int kv_head);

/// Packs a table (rows, depth), which is the left operand of one product and the right operand of another.
void packTable(const float* table, int depth, TableWorkspace& t);

/// Packs the queries of a strip and the gradients of their outputs, the right operands of the products that sum over queries.
void packStrip(const AttentionArgs& a, BackwardWorkspace& w, const float* query, const float* grad_output, int count);

/// w.weights.entries = weights by the exact softmax, before they are divided by their sum, which goes to q.sum.
void recomputeWeights(const BackwardWorkspace& w, QueryBlock& q, KeyRange keys);

/// The same, from what the forward pass kept.
void recallWeights(const AttentionArgs& a, BackwardWorkspace& w, QueryBlock& q, KeyRange keys);

/// Turns w.slopes.entries from gradients of the weights behind dropout into those of the masked scores, and w.weights.entries into
/// the weights behind dropout. The slope is 0 where the weight is, whatever the masked value holds.
void differentiateSoftmax(const AttentionArgs& a, const BackwardWorkspace& w, const QueryBlock& q, KeyRange keys);

/// Turns slopes of the capped scores into slopes of the scaled ones.
void differentiateSoftcap(const BackwardWorkspace& w, KeyRange keys);

/// gradBias += slopes, by the bias's strides.
void addBiasGradient(const AttentionArgs& a, const BackwardWorkspace& w, const QueryBlock& q, KeyRange keys,
                     float* bias);

/// Writes entries (rows, 8) of a strip's block number `index` to panels of four rows.
void transposeEntries(const float* entries, int rows, int index, float* panels);

/// The same for panels of all keys that the strip sees, with zeros for those that the block does not see.
void placeEntries(const float* entries, KeyRange keys, KeyRange strip_keys, int index, float* panels);

/// What a product's right operand may hold. Where that may be NaN or infinity, entries of 0 on the left skip what they would meet.
enum class Right { kFinite, kAny };

/// out (rows, width) += left * columns: `left` in panels of four rows, kStripQueries deep, of which `depth` count; columns in
/// panels of 8, `depth` deep.
void addPanelProduct(const float* left, const float* columns, Right right, int rows, int depth, int width, float* out);

/// out (8, width) += entries^T * columns: entries (depth, 8), columns in panels of 8 that are `panel_depth` deep.
void addEntriesProduct(const float* entries, const float* columns, Right right, int depth, int panel_depth, int width,
                       float* out);

inline Right rightOperand(bool finite) { return finite ? Right::kFinite : Right::kAny; }

}  // namespace wasm_attention
