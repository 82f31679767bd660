import type { Architecture } from '../config/architecture.js';
import type { Memory } from '../../runtime/memory.js';
import type { Tokens } from '../tokens.js';
import type { ModelWeights } from '../weights/types.js';
import type { Pass } from './check.js';
import { placeAlibi } from './alibi.js';
import { maskColumns } from './mask.js';
import type { Program } from './types.js';

/** Writes the inputs of a pass. */
export function placeInputs(
  memory: Memory,
  a: Architecture,
  weights: ModelWeights,
  { inputs }: Program,
  { given, request, types, mask, positions, pictures }: Pass,
): void {
  const { batch, tokens, past } = request;
  memory.writeInts(inputs.ids, given.data);
  if (pictures) memory.write(inputs.patches, pictures.patches);
  if (inputs.table) memory.write(inputs.table, weights.tableFor(pictures!.grid));
  // Without types, all tokens are of type 0.
  if (inputs.types) memory.writeInts(inputs.types, types ?? new Int32Array(batch * tokens));
  if (inputs.positions) {
    memory.writeInts(
      inputs.positions,
      positions ? positions.map((p) => p + a.positions!.first) : learnedRows(a, given, past),
    );
  }
  if (inputs.angles) memory.writeInts(inputs.angles, new Int32Array(Float64Array.from(positions!).buffer));
  if (inputs.mask) {
    const [keys, columns] = [past + tokens, maskColumns(request)];
    const bytes = new Uint8Array(Math.ceil((batch * columns) / 4) * 4);
    for (let b = 0; b < batch; ++b) bytes.set(mask!.subarray(b * keys, (b + 1) * keys), b * columns);
    memory.writeInts(inputs.mask, new Int32Array(bytes.buffer));
  }
  if (inputs.alibi) placeAlibi(memory, weights, a.heads, inputs.alibi, request, mask!);
  /** The row of each sequence's first or last token; a sequence of padding alone has another. */
  const rowsOf = (find: (mask: Uint8Array) => number, otherwise: number): Int32Array =>
    Int32Array.from({ length: batch }, (_, b) => {
      const mask = given.mask?.subarray(b * tokens, (b + 1) * tokens);
      return b * tokens + (mask?.includes(1) ? find(mask) : otherwise);
    });
  memory.writeInts(
    inputs.first,
    rowsOf((mask) => mask.indexOf(1), 0),
  );
  memory.writeInts(
    inputs.last,
    rowsOf((mask) => mask.lastIndexOf(1), tokens - 1),
  );
  if (inputs.end) memory.writeInts(inputs.end, endRows(a.endId!, given));
  memory.writeInts(inputs.offsets, new Int32Array(batch).fill(past));
  if (inputs.relativeBias) {
    const { rows, rowOf } = a.relativeBias!;
    const table = memory.read(weights.relativeBias, rows * a.heads);
    const distances = past + 2 * tokens - 1;
    const bias = new Float32Array(a.heads * distances);
    for (let at = 0; at < distances; ++at) {
      const row = rowOf(at - (past + tokens - 1)) * a.heads;
      for (let h = 0; h < a.heads; ++h) bias[h * distances + at] = table[row + h]!;
    }
    memory.write(inputs.relativeBias, bias);
  }
  if (inputs.distances) {
    const rows = Array.from({ length: 2 * tokens - 1 }, (_, at) => a.relativeVectors!.rowOf(at - (tokens - 1)));
    const ofHeads = (rows: readonly number[]): Int32Array =>
      Int32Array.from(Array.from({ length: a.heads }, (_, h) => rows.map((row) => row * a.heads + h)).flat());
    memory.writeInts(inputs.distances, ofHeads(rows));
    memory.writeInts(inputs.negated, ofHeads(rows.reverse()));
    memory.write(inputs.zeros, new Float32Array(a.headDim));
  }
}

/** The row of each sequence's first `endId`, or of its largest id; the first row where there is none. */
function endRows(endId: number, { batch, tokens, data, mask }: Tokens): Int32Array {
  return Int32Array.from({ length: batch }, (_, b) => {
    const first = b * tokens;
    const ids = data.subarray(first, first + tokens).map((id, t) => (mask?.[first + t] === 0 ? -1 : id));
    // The first configs say 2, but the tokenizer's end has the largest id.
    const wanted = endId === 2 ? ids.reduce((most, id) => Math.max(most, id)) : endId;
    return first + Math.max(0, ids.indexOf(wanted));
  });
}

/** Rows of the learned table of positions. */
function learnedRows(a: Architecture, { batch, tokens, data }: Tokens, past: number): Int32Array {
  const { first, skipped } = a.positions!;
  const rows = new Int32Array(batch * tokens);
  for (let b = 0, i = 0; b < batch; ++b) {
    let seen = 0;
    for (let t = 0; t < tokens; ++t, ++i) {
      if (skipped === undefined) rows[i] = first + past + t;
      else rows[i] = data[i] === skipped ? skipped : first + seen++;
    }
  }
  return rows;
}
