import { AT, clearedAttentionArgs, type AttentionArgs } from '../attentionArgs.js';
import { checkAttentionOptions, checkOut } from '../attentionOptions.js';
import { checkOptions, showShape, toTensor, toTensorOfRank, wrongValue } from '../check.js';
import type { Memory } from '../memory.js';
import type { AttentionOptions, AttentionResult, Tensor, TensorLike } from '../types.js';
import type { Wasm } from '../wasm.js';

const OPERATION = 'scaledDotProductAttention';

/** See `WasmAttention.scaledDotProductAttention`. */
export function scaledDotProductAttention(
  { raw, memory }: Wasm,
  query: TensorLike,
  key: TensorLike,
  value: TensorLike,
  options?: AttentionOptions,
): AttentionResult {
  const checked = checkOptions<AttentionOptions>(OPERATION, options);
  const q = toTensorOfRank(OPERATION, 'query', query, 2, 3, 4);
  const k = toTensorOfRank(OPERATION, 'key', key, q.shape.length);
  const v = toTensorOfRank(OPERATION, 'value', value, q.shape.length);
  const [batch, heads, queries, width] = axes(q);
  const [keyBatch, kvHeads, newKeys, keyWidth] = axes(k);
  const [valueBatch, valueHeads, values, valueWidth] = axes(v);
  if (keyBatch !== batch || keyWidth !== width) {
    wrongValue(OPERATION, `key (…, S, ${width}) of batch ${batch}`, showShape(k.shape));
  }
  if (valueBatch !== batch || valueHeads !== kvHeads || values !== newKeys) {
    wrongValue(
      OPERATION,
      `value to match key ${showShape(k.shape)} but for its last axis`,
      showShape(v.shape),
    );
  }
  if (kvHeads === 0 ? heads !== 0 : heads % kvHeads !== 0) {
    wrongValue(OPERATION, `the query's heads to be a multiple of the key's (${kvHeads})`, heads);
  }
  const past = checkPast(checked, batch, kvHeads, width, valueWidth);
  const keys = past.length + newKeys;
  const scoresShape = [...q.shape.slice(0, -1), keys];
  const sizes = { batch, heads, queries, keys, width, valueWidth, past: past.length, scoresShape };
  const plan = checkAttentionOptions(OPERATION, checked, sizes);
  const outputCount = batch * heads * queries * valueWidth;
  const into = checkOut(OPERATION, 'out.output', checked.out?.output, outputCount);

  return memory.scope(OPERATION, () => {
    const args = clearedAttentionArgs();
    const { words } = args;
    words[AT.batch] = batch;
    words[AT.heads] = heads;
    words[AT.kvHeads] = kvHeads || 1;
    words[AT.queries] = queries;
    words[AT.keys] = keys;
    words[AT.width] = width;
    words[AT.valueWidth] = valueWidth;
    const keyAddress = join(memory, past.key, k.data, batch * kvHeads);
    const valueAddress = join(memory, past.value, v.data, batch * kvHeads);
    const output = memory.reserve(outputCount);
    setContiguous(args, AT.query, memory.floats(q.data), heads, queries, width);
    setContiguous(args, AT.key, keyAddress, kvHeads, keys, width);
    setContiguous(args, AT.value, valueAddress, kvHeads, keys, valueWidth);
    setContiguous(args, AT.output, output, heads, queries, valueWidth);
    plan.place(memory, args);
    words[AT.scratch] = memory.reserve(raw.scaledDotProductAttentionScratch(args.place(memory)));
    raw.scaledDotProductAttention(args.place(memory));

    const shape = [...q.shape.slice(0, -1), valueWidth];
    const result: AttentionResult = { output: { data: memory.read(output, outputCount, into), shape } };
    plan.read(memory, args, result);
    if (past.key && past.value) {
      const present = (address: number, like: Tensor): Tensor => {
        const columns = like.shape.at(-1)!;
        const data = memory.read(address, batch * kvHeads * keys * columns);
        return { data, shape: [...like.shape.slice(0, -2), keys, columns] };
      };
      result.presentKey = present(keyAddress, past.key);
      result.presentValue = present(valueAddress, past.value);
    }
    return result;
  });
}

/** (B, H, rows, columns) of a tensor of rank 2 to 4. */
function axes({ shape }: Tensor): [number, number, number, number] {
  const [rows, columns] = shape.slice(-2) as [number, number];
  return [shape.length > 2 ? shape[0]! : 1, shape.length > 3 ? shape[1]! : 1, rows, columns];
}

/** Sets the address of a contiguous (B, H, rows, columns). */
function setContiguous(
  args: AttentionArgs,
  at: number,
  address: number,
  heads: number,
  rows: number,
  columns: number,
): void {
  args.setStack(at, address, heads * rows * columns, rows * columns, columns);
}

interface Past {
  readonly length: number;
  readonly key?: Tensor;
  readonly value?: Tensor;
}

function checkPast(
  { pastKey, pastValue }: AttentionOptions,
  batch: number,
  kvHeads: number,
  width: number,
  valueWidth: number,
): Past {
  if (pastKey == null && pastValue == null) return { length: 0 };
  if (pastKey == null || pastValue == null) {
    wrongValue(
      OPERATION,
      'pastKey and pastValue together',
      pastKey == null ? 'pastValue alone' : 'pastKey alone',
    );
  }
  const check = (name: string, given: TensorLike, columns: number): Tensor => {
    const tensor = toTensor(OPERATION, name, given);
    const [b, h, , c] = axes(tensor);
    const rank = tensor.shape.length;
    if (rank < 2 || rank > 4 || b !== batch || h !== kvHeads || c !== columns) {
      wrongValue(
        OPERATION,
        `${name} of shape (${batch}, ${kvHeads}, past, ${columns})`,
        showShape(tensor.shape),
      );
    }
    return tensor;
  };
  const key = check('pastKey', pastKey, width);
  const value = check('pastValue', pastValue, valueWidth);
  const length = key.shape.at(-2)!;
  if (value.shape.at(-2) !== length) {
    wrongValue(OPERATION, `pastValue of as many keys as pastKey (${length})`, value.shape.at(-2));
  }
  return { length, key, value };
}

/** Copies past and new rows in, one behind the other for each of `groups` heads; the address. */
function join(memory: Memory, past: Tensor | undefined, data: Float32Array, groups: number): number {
  if (!past) return memory.floats(data);
  const pastSize = past.data.length / groups || 0;
  const newSize = data.length / groups || 0;
  const address = memory.reserve(past.data.length + data.length);
  for (let group = 0; group < groups; ++group) {
    const start = address + 4 * group * (pastSize + newSize);
    memory.write(start, past.data.subarray(group * pastSize, (group + 1) * pastSize));
    memory.write(start + 4 * pastSize, data.subarray(group * newSize, (group + 1) * newSize));
  }
  return address;
}
