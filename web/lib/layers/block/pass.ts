/*
 * Both passes of a block, with one call into the wasm each. It is longer than 200 lines, because both set the same arguments.
 *
 * Versions tried (ms for a step of training: batch 32, n = 32, D = 64, 4 heads, 256 hidden units, with embedding, linear head,
 * cross-entropy and Adam; Sapphire Rapids, Node 20):
 *   a call for each sublayer, which copies what it keeps        13.3
 *   a call for each pass, which copies what it keeps            10.5
 *   a call for each pass, which keeps it in wasm memory         10.2   <- this
 * Of the 10.2 ms, 6.3 are matrix products at the speed of the micro-kernel.
 * Today: npm run bench -- --work training
 */
import type { Within } from '../../generated/bindings/args.js';
import * as AT from '../../generated/bindings/attentionArgs.js';
import * as BA from '../../generated/bindings/blockAttentionArgs.js';
import * as O from '../../generated/bindings/optionGradients.js';
import * as B from '../../generated/bindings/transformerBlockArgs.js';
import * as G from '../../generated/bindings/transformerBlockGradArgs.js';
import { placeOptionGradients, type OptionFields } from '../../ops/attention/optionGradients.js';
import type { AskedResults } from '../../ops/attention/askedResults.js';
import type { CheckedAttentionOptions } from '../../ops/attention/options.js';
import { ARGS, clearArgs, floats, within, words } from '../../runtime/args.js';
import { fresh } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { AttentionResult, Tensor } from '../../types.js';
import type { Past, StoredPast } from '../attention/past.js';
import { setRotation, type Rotation } from '../attention/rotaryPositions.js';
import type { MultiHeadAttentionGradients } from '../attention/types.js';
import type { Activations, KeptPass } from '../base/activations.js';
import type { Parameters } from '../base/parameters.js';
import { blockFields, joinedRows, mapsOf, type BlockShape } from './parameters.js';

/** The parts and settings of a block. */
export interface Block {
  readonly wasm: Wasm;
  readonly parameters: Parameters;
  readonly activations: Activations;
  readonly shape: BlockShape;
  /** Its number in C++. */
  readonly activation: number;
  readonly preNorm: boolean;
  readonly eps: number;
}

/** The checked arguments of one attention of a pass. */
export interface AttentionPart {
  /** The number of keys, past ones included. */
  readonly keys: number;
  readonly plan: CheckedAttentionOptions;
  readonly asked: AskedResults;
  readonly past: Past;
  readonly rotation?: ((wasm: Wasm) => Rotation) | undefined;
}

/** The checked arguments of a pass. */
export interface BlockPass {
  readonly batch: number;
  readonly length: number;
  readonly self: AttentionPart;
  /** Without a memory, keys and values are in the cache. */
  readonly cross?: AttentionPart & { readonly memory: Tensor | undefined };
  readonly training: boolean;
  /** Whether `blockForward` keeps what a backward pass needs. */
  readonly keeps: boolean;
}

export interface BlockResult {
  readonly self: AttentionResult;
  readonly cross: AttentionResult | undefined;
  readonly kept: KeptPass | undefined;
}

type OptionTensors = Pick<MultiHeadAttentionGradients, 'bias' | 'relativeKeys' | 'relativeValues' | 'sinks'>;

export interface BlockGradients {
  readonly input: Tensor;
  readonly memory: Tensor | undefined;
  readonly self: OptionTensors;
  readonly cross: OptionTensors | undefined;
}

const optionFields = (at: Within<'OptionGradients'>): OptionFields => ({
  bias: [within(at, O.bias), within(at, O.lostBias)],
  relativeKeys: [within(at, O.relativeKeys), within(at, O.lostRelativeKeys)],
  relativeValues: [within(at, O.relativeValues), within(at, O.lostRelativeValues)],
  sinks: [within(at, O.sinks), within(at, O.lostSinks)],
});

/** Words of AttentionArgs, which BlockAttentionArgs begins with. */
const ATTENTION_WORDS = BA.rotation as number;

/** Sets the arguments of one attention; those of the cross-attention are moved to their place afterwards. */
function attentionArgs(
  { wasm, shape }: Block,
  { batch, length }: BlockPass,
  part: AttentionPart,
  stored: StoredPast | undefined,
): void {
  const { heads, kvHeads, width } = shape.heads;
  words[AT.batch] = batch;
  words[AT.heads] = heads;
  words[AT.kvHeads] = kvHeads;
  words[AT.queries] = length;
  words[AT.keys] = part.keys;
  words[AT.width] = width;
  words[AT.valueWidth] = width;
  words[AT.cacheType] = stored?.type ?? 0;
  part.plan.place(wasm.memory);
}

/** Sets the arguments that both passes share; within a scope. `asks` also places what attention's options ask for. */
function blockArgs(block: Block, pass: BlockPass, asks: boolean): void {
  const { wasm, parameters, shape } = block;
  const { memory } = wasm;
  const { self, cross } = pass;
  const { queries } = joinedRows(shape.heads);
  const rotation = self.rotation?.(wasm);
  const stored = [self.past.place(memory), cross?.past.place(memory)];
  clearArgs();
  if (cross) {
    attentionArgs(block, pass, cross, stored[1]);
    if (asks) cross.asked.place(memory);
    ARGS.copyWithin(B.cross, 0, ATTENTION_WORDS);
    ARGS.fill(0, 0, ATTENTION_WORDS);
    words[within(B.cross, BA.packedIn)] = parameters.packed('multihead_attn.in_proj_weight', 0, queries);
    words[within(B.cross, BA.packedMemory)] = parameters.packed('multihead_attn.in_proj_weight', queries);
    words[within(B.cross, BA.packedOut)] = parameters.packed('multihead_attn.out_proj.weight');
    if (asks && cross.memory) words[B.memory] = memory.floats(cross.memory.data);
  }
  attentionArgs(block, pass, self, stored[0]);
  if (asks) self.asked.place(memory);
  if (rotation) setRotation(within(B.self, BA.rotation), rotation);
  [B.self, B.cross].forEach((at, i) => {
    if (!stored[i]) return;
    words[within(at, BA.keyCache)] = stored[i].keys;
    words[within(at, BA.valueCache)] = stored[i].values;
    words[within(at, BA.cacheLength)] = stored[i].length;
    words[within(at, BA.cacheCapacity)] = stored[i].capacity;
  });
  const [first, second] = mapsOf(shape);
  for (const [name, field] of blockFields(shape)) words[within(B.parameters, field)] = parameters.address(name);
  words[within(B.self, BA.packedIn)] = parameters.packed('self_attn.in_proj_weight');
  words[within(B.self, BA.packedOut)] = parameters.packed('self_attn.out_proj.weight');
  words[B.packed1] = parameters.packed(`${first}.weight`);
  words[B.packed2] = parameters.packed(`${second}.weight`);
  words[B.width] = shape.numHiddens;
  words[B.hiddenWidth] = shape.hiddenWidth;
  words[B.gated] = Number(shape.gated);
  words[B.activation] = block.activation;
  words[B.norm] = Number(shape.rms);
  words[B.preNorm] = Number(block.preNorm);
  words[B.training] = Number(pass.training);
  floats[B.eps] = block.eps;
  floats[B.headEps] = shape.heads.normEps ?? 0;
}

/** Computes the output for x (B, L, D) and what attention's options ask for. */
export function blockForward(
  operation: string,
  block: Block,
  pass: BlockPass,
  { data, shape }: Tensor,
  into: Float32Array | undefined,
): BlockResult {
  const { raw, memory } = block.wasm;
  return memory.scope(operation, () => {
    blockArgs(block, pass, true);
    const size = raw.transformerBlockKept(memory.args());
    const output = memory.reserve(data.length);
    const copied = pass.cross?.memory?.data;
    const kept = pass.keeps ? block.activations.take(operation, size + (copied?.length ?? 0)) : undefined;
    const steps = kept?.place() ?? memory.reserve(size);
    memory.write(steps, data);
    // For the backward pass, behind the steps.
    if (kept && copied) memory.write(steps + 4 * size, copied);
    words[B.kept] = steps;
    words[B.output] = output;
    memory.run(raw.transformerBlock);
    const self: AttentionResult = { output: memory.tensor(output, shape, into) };
    pass.self.asked.read(memory, self);
    let cross: AttentionResult | undefined;
    if (pass.cross) {
      cross = { output: self.output };
      ARGS.copyWithin(0, B.cross, B.cross + ATTENTION_WORDS);
      pass.cross.asked.read(memory, cross);
    }
    return { self, cross, kept };
  });
}

/** Returns the gradients of x, of the memory and of attention's options, and adds to those of the parameters. */
export function blockBackward(
  operation: string,
  block: Block,
  pass: BlockPass,
  kept: KeptPass,
  gradOutput: Float32Array,
  into: Float32Array | undefined,
): BlockGradients {
  const { wasm, parameters, shape } = block;
  const { raw, memory } = wasm;
  const { batch, length } = pass;
  return memory.scope(operation, () => {
    // Allocate all memory before a gradient is changed.
    blockArgs(block, pass, false);
    const size = raw.transformerBlockKept(memory.args());
    const gradient = memory.floats(gradOutput);
    const data = into ?? fresh(operation, Float32Array, gradOutput.length);
    const memoryShape = pass.cross && [batch, pass.cross.keys, shape.numHiddens];
    const memoryData = memoryShape && fresh(operation, Float32Array, batch * pass.cross.keys * shape.numHiddens);
    const optionsOf = (part: AttentionPart, at: Within<'OptionGradients'>) =>
      placeOptionGradients(operation, memory, part.plan.differentiable, optionFields(at), {
        batch,
        heads: shape.heads.heads,
        queries: length,
        keys: part.keys,
      });
    const readSelf = optionsOf(pass.self, G.self);
    const readCross = pass.cross && optionsOf(pass.cross, G.cross);
    const steps = kept.place();
    words[B.kept] = steps;
    words[G.gradient] = gradient;
    if (memoryData) {
      words[B.memory] = steps + 4 * size;
      words[G.gradMemory] = memory.reserve(memoryData.length);
    }
    const gradMemory = words[G.gradMemory]!;
    for (const [name, field] of blockFields(shape)) words[within(G.gradients, field)] = parameters.gradient(name);
    memory.run(raw.transformerBlockBackward);
    kept.done();
    return {
      input: { data: memory.read(gradient, data.length, data), shape: [batch, length, shape.numHiddens] },
      memory: memoryData && {
        data: memory.read(gradMemory, memoryData.length, memoryData),
        shape: memoryShape,
      },
      self: readSelf(),
      cross: readCross?.(),
    };
  });
}
