// The steps of attention's backward pass.
//
// A block of eight queries is multiplied at once by all the keys that it may see. Its weights and the gradients of its
// scores take memory linear in the number of keys, and fit into the cache at common lengths. So the softmax needs no
// running maximum, and there are five products instead of the seven with a recomputed forward pass. The products that
// sum over queries are computed once for each strip.
#pragma once

#include "attention/query_block.h"
#include "attention/visible.h"

namespace wasm_attention {

/// A table of relative keys or values, its products and its gradient. The pointers are null if the option is not used.
struct TableWorkspace {
  int rows;           // 2 * clip + 1
  int width;          // of the table, rounded up to whole panels
  float* panels;      // of 4 rows
  float* columns;     // panels of 8 columns
  float* terms;       // (rows, 8): each row's terms of a block's entries; later the sums of the entries' gradients
  float* transposed;  // panels of 4 rows, kStripQueries deep
  float* gradient;    // (rows, width)
  bool finite;
};

/// A call's scratch, cut into pieces.
struct BackwardWorkspace {
  int firstSequence;    // the first sequence in the gradients of queries, keys, values and outputs
  AttentionArgs plain;  // the arguments without softcap, dropout and results, which the backward pass handles itself
  Workspace weights;    // entries of all keys: scores, then weights
  Workspace slopes;     // entries of all keys: gradients of the weights, then of the scores
  int width, valueWidth;
  float* softcapSlopes;  // (S, 8): the softcap's derivative, or null

  float* valuePanels;  // of 4 values
  float* keyColumns;   // panels of 8 columns, `seen` keys deep
  Interval seen;       // the packed keys of the current head; `begin` is a multiple of 4
  bool keysFinite;

  float* gradOutput;         // (Ev, 8): panel of a block of queries
  float* queryColumns;       // a strip's scaled queries in panels of 8 columns
  float* gradOutputColumns;  // the gradients of their outputs in panels of 8 columns
  bool queriesFinite, gradOutputsFinite;

  // Panels of four keys, kStripQueries deep: the left operands of the products that sum over queries.
  float* weightPanels;
  float* slopePanels;

  LongSum sinkSlope;  // the gradient of the current head's sink, negated: the sum of its lanes

  float* gradQuery;  // (8, width) of a block of queries, before the scale
  float* gradKey;    // (S, width) of a head
  float* gradValue;  // (S, valueWidth)
  TableWorkspace relativeKeys, relativeValues;
  float* kept;   // the forward pass's weights, or null
  int64_t size;  // floats in all

  /// With a null scratch only the sizes are meaningful.
  BackwardWorkspace(const AttentionArgs& args, float* scratch);
};

/// Packs the keys and values of one head and clears their gradients.
void packBackwardHead(const AttentionArgs& a, BackwardWorkspace& w, int b, int kv_head);

/// Packs a table (rows, depth) twice: as the left operand of one product and as the right operand of another.
void packTable(const float* table, int depth, TableWorkspace& t);

/// Packs the queries of a strip and the gradients of their outputs, the right operands of the products that sum over
/// queries.
void packStrip(const AttentionArgs& a, BackwardWorkspace& w, const float* query, const float* grad_output, int count);

/// Writes the weights to w.weights.entries, not yet divided by their sum, and the sum to q.sum.
void recomputeWeights(const BackwardWorkspace& w, QueryBlock& q, KeyRange keys);

/// The same with the weights that the forward pass kept.
void recallWeights(const AttentionArgs& a, BackwardWorkspace& w, QueryBlock& q, KeyRange keys);

/// Turns w.slopes.entries from gradients of the weights after dropout into those of the masked scores, and
/// w.weights.entries into the weights after dropout. Where a weight is 0, so is the slope, even if the masked value is
/// NaN. Adds to w.sinkSlope.
void differentiateSoftmax(const AttentionArgs& a, BackwardWorkspace& w, const QueryBlock& q, KeyRange keys);

/// Turns gradients of the capped scores into gradients of the scaled scores.
void differentiateSoftcap(const BackwardWorkspace& w, KeyRange keys);

/// gradBias += the scores' gradients, by the bias's strides; `compensation` is biasCompensation.
void addBiasGradient(const AttentionArgs& a, const BackwardWorkspace& w, const QueryBlock& q, KeyRange keys,
                     float* bias, float* compensation);

/// Writes the entries (rows, 8) of block `index` of a strip to panels of four rows.
void transposeEntries(const float* entries, int rows, int index, float* panels);

/// The same for panels of all keys that the strip sees, with zeros for keys that the block does not see.
void placeEntries(const float* entries, KeyRange keys, KeyRange strip_keys, int index, float* panels);

/// Whether a product's right operand is finite. If not, the product skips rows that are multiplied by 0.
enum class Right { kFinite, kAny };

/// out (rows, width) += left * columns. `left` lies in panels of four rows that are kStripQueries deep, of which
/// `depth` are used; `columns` in panels of 8 columns that are `depth` deep.
void addPanelProduct(const float* left, const float* columns, Right right, int rows, int depth, int width, float* out);

/// out (8, width) += entries^T * columns. Entries are (depth, 8); `columns` lies in panels of 8 columns, `panel_depth`
/// deep.
void addEntriesProduct(const float* entries, const float* columns, Right right, int depth, int panel_depth, int width,
                       float* out);

inline Right rightOperand(bool finite) { return finite ? Right::kFinite : Right::kAny; }

}  // namespace wasm_attention
