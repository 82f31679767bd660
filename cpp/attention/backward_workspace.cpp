#include <algorithm>

#include "attention/backward.h"
#include "attention/rows.h"
#include "kernels/cutter.h"
#include "kernels/pack.h"

namespace wasm_attention {
namespace {

TableWorkspace cutTable(Cutter& cut, bool used, int clip, int depth) {
  if (!used) return {};
  TableWorkspace t{};
  const int64_t table_rows = 2 * int64_t{clip} + 1;
  const int64_t rows = roundUp(table_rows, kTileRows);
  const int64_t width = roundUp(int64_t{depth}, kTileCols);
  t.rows = static_cast<int>(table_rows);
  t.width = static_cast<int>(width);
  t.panels = cut.take(times(rows, depth));
  t.columns = cut.take(times(table_rows, width));
  t.terms = cut.take(rows * kQueryBlock);
  t.transposed = cut.take(rows * kStripQueries);
  t.gradient = cut.take(times(rows, width));
  return t;
}

}  // namespace

BackwardWorkspace::BackwardWorkspace(const AttentionArgs& a, float* scratch)
    : firstSequence(0), plain(a), weights{}, kept(nullptr) {
  plain.dropout = 0;
  plain.weights = nullptr;
  plain.scoresStage = ScoresStage::kNone;
  Cutter cut(scratch);
  const int64_t keys = roundUp(int64_t{a.keys}, kTileRows);
  const int64_t padded_width = roundUp(int64_t{a.width}, kTileCols);
  const int64_t padded_value_width = roundUp(int64_t{a.valueWidth}, kTileCols);
  width = static_cast<int>(padded_width);
  valueWidth = static_cast<int>(padded_value_width);
  weights.packed = true;
  weights.keyPanels = cut.take(keys * a.width);
  weights.queries = cut.take(int64_t{kQueryBlock} * a.width);
  weights.entries = cut.take(keys * kQueryBlock);
  slopes = weights;
  slopes.entries = cut.take(keys * kQueryBlock);
  softcapSlopes = a.softcap > 0 ? cut.take(keys * kQueryBlock) : nullptr;
  valuePanels = cut.take(keys * a.valueWidth);
  keyColumns = cut.take(keys * padded_width);
  gradOutput = cut.take(int64_t{kQueryBlock} * a.valueWidth);
  queryColumns = cut.take(kStripQueries * padded_width);
  gradOutputColumns = cut.take(kStripQueries * padded_value_width);
  weightPanels = cut.take(keys * kStripQueries);
  slopePanels = cut.take(keys * kStripQueries);
  gradQuery = cut.take(kQueryBlock * padded_width);
  gradKey = cut.take(keys * padded_width);
  gradValue = cut.take(keys * padded_value_width);
  relativeKeys = cutTable(cut, a.relativeKeys != nullptr, a.relativeKeysClip, a.width);
  relativeValues = cutTable(cut, a.relativeValues != nullptr, a.relativeValuesClip, a.valueWidth);
  size = cut.used();
}

[[gnu::noinline]] void packBackwardHead(const AttentionArgs& a, BackwardWorkspace& w, int b, int kv_head) {
  w.seen = seenKeys(a, b);
  w.seen.begin = w.seen.begin / kTileRows * kTileRows;
  const size_t keys = roundUp(a.keys, kTileRows);
  clearVectors(w.gradKey, keys * w.width);
  clearVectors(w.gradValue, keys * w.valueWidth);
  const int count = w.seen.end - w.seen.begin;
  if (count <= 0) return;
  const float* key = rowOf(a.key, a.keyStrides, b, kv_head, w.seen.begin);
  const float* value = rowOf(a.value, a.valueStrides, b, kv_head, w.seen.begin);
  const size_t first = w.seen.begin;
  if (!w.kept) {
    packRows<kTileRows>(key, a.keyStrides.row, count, a.width, 1.0f, w.weights.keyPanels + first * a.width);
  }
  packRows<kTileRows>(value, a.valueStrides.row, count, a.valueWidth, 1.0f, w.valuePanels + first * a.valueWidth);
  packColumns(key, a.keyStrides.row, count, a.width, w.keyColumns);
  w.keysFinite = allFinite(w.keyColumns, static_cast<size_t>(count) * w.width) != 0;
}

void packTable(const float* table, int depth, TableWorkspace& t) {
  packRows<kTileRows>(table, depth, t.rows, depth, 1.0f, t.panels);
  packColumns(table, depth, t.rows, depth, t.columns);
  t.finite = allFinite(t.columns, static_cast<size_t>(t.rows) * t.width) != 0;
}

void packStrip(const AttentionArgs& a, BackwardWorkspace& w, const float* query, const float* grad_output, int count) {
  packColumns(query, a.queryStrides.row, count, a.width, w.queryColumns);
  const size_t size = static_cast<size_t>(count) * w.width;
  for (size_t i = 0; i < size; i += kLanes) store(w.queryColumns + i, load(w.queryColumns + i) * a.scale);
  w.queriesFinite = allFinite(w.queryColumns, size) != 0;
  packColumns(grad_output, a.outputStrides.row, count, a.valueWidth, w.gradOutputColumns);
  w.gradOutputsFinite = allFinite(w.gradOutputColumns, static_cast<size_t>(count) * w.valueWidth) != 0;
}

}  // namespace wasm_attention
