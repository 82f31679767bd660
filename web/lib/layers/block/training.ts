/*
 * Both passes of a block in training, with one call into the wasm each.
 *
 * Versions tried (ms for a step of training: batch 32, n = 32, D = 64, 4 heads, 256 hidden units, with embedding,
 * linear head, cross-entropy and Adam; Sapphire Rapids, Node 20):
 *   a call for each sublayer, which copies activations          13.3
 *   a call for each pass, which copies activations              10.5
 *   a call for each pass, which keeps them in wasm memory       10.2   <- this
 * Of the 10.2 ms, 6.3 are matrix products at the speed of the micro-kernel.
 * Today: npm run bench -- --work training
 */
import type { Within } from '../../generated/bindings/args.js';
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import * as BlockAttentionArgs from '../../generated/bindings/blockAttentionArgs.js';
import * as Rotation from '../../generated/bindings/rotation.js';
import * as OptionGradients from '../../generated/bindings/optionGradients.js';
import * as TransformerBlockArgs from '../../generated/bindings/transformerBlockArgs.js';
import * as TransformerBlockGradArgs from '../../generated/bindings/transformerBlockGradArgs.js';
import { placeOptionGradients, type OptionFields } from '../../ops/attention/optionGradients.js';
import type { PlaceRequested } from '../../ops/attention/requestedResults.js';
import type { CheckedAttentionOptions } from '../../ops/attention/options.js';
import { ARGS, clearArgs, floats, within, words } from '../../runtime/args.js';
import { fresh } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { HeadRotation } from '../../steps/attend.js';
import type { Dropout, Steps } from '../../steps/steps.js';
import type { AttentionResult, Tensor } from '../../types.js';
import type { Past } from '../attention/past.js';
import type { MultiHeadAttentionGradients } from '../attention/types.js';
import type { Activations, KeptPass } from '../base/activations.js';
import type { Parameters } from '../base/parameters.js';
import { blockFields, joinedRows, mapsOf, type BlockShape } from './parameters.js';

/** The parts and settings of a block. */
export interface Block {
  readonly wasm: Wasm;
  readonly parameters: Parameters;
  readonly activations: Activations;
  readonly steps: Steps;
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
  readonly placeRequested: PlaceRequested;
  readonly past: Past;
  readonly rotation?: ((wasm: Wasm) => HeadRotation) | undefined;
}

/** The checked arguments of a pass. */
export interface BlockPass {
  readonly batch: number;
  readonly length: number;
  readonly self: AttentionPart;
  /** Without a memory, keys and values are in the cache. */
  readonly cross?: AttentionPart & { readonly memory: Tensor | undefined };
  /** In training: for all places that drop elements. */
  readonly dropout: Dropout | undefined;
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
  bias: [within(at, OptionGradients.bias), within(at, OptionGradients.biasCompensation)],
  relativeKeys: [within(at, OptionGradients.relativeKeys), within(at, OptionGradients.relativeKeysCompensation)],
  relativeValues: [within(at, OptionGradients.relativeValues), within(at, OptionGradients.relativeValuesCompensation)],
  sinks: [within(at, OptionGradients.sinks), within(at, OptionGradients.sinksCompensation)],
});

/** Words of AttentionArgs, which BlockAttentionArgs begins with. */
const ATTENTION_WORDS = BlockAttentionArgs.rotation as number;

/** Sets C++'s Rotation within a larger struct. Without this call, nothing is rotated. */
function setRotation(at: Within<'Rotation'>, { query, key }: HeadRotation): void {
  words[within(at, Rotation.queries)] = query.table;
  words[within(at, Rotation.queryBatch)] = query.tableBatch;
  words[within(at, Rotation.keys)] = key.table;
  words[within(at, Rotation.keyBatch)] = key.tableBatch;
  words[within(at, Rotation.width)] = key.rotaryWidth;
  words[within(at, Rotation.interleaved)] = Number(key.interleaved);
}

/** Sets the arguments of one attention; those of the cross-attention are moved to their place afterwards. */
function attentionArgs({ wasm, shape }: Block, { batch, length }: BlockPass, part: AttentionPart): void {
  const { heads, kvHeads, width } = shape.heads;
  words[AttentionArgs.batch] = batch;
  words[AttentionArgs.heads] = heads;
  words[AttentionArgs.kvHeads] = kvHeads;
  words[AttentionArgs.queries] = length;
  words[AttentionArgs.keys] = part.keys;
  words[AttentionArgs.width] = width;
  words[AttentionArgs.valueWidth] = width;
  part.plan.place(wasm.memory);
}

type ReadResults = (result: AttentionResult) => void;

/**
 * Sets the arguments that both passes share, within a scope.
 *
 * @param forward whether to place the memory and attention's requested results
 * @returns functions that read these results
 */
function blockArgs(block: Block, pass: BlockPass, forward: boolean): { self?: ReadResults; cross?: ReadResults } {
  const { wasm, parameters, shape } = block;
  const { memory } = wasm;
  const { self, cross } = pass;
  const { queries } = joinedRows(shape.heads);
  const rotation = self.rotation?.(wasm);
  const read: ReturnType<typeof blockArgs> = {};
  clearArgs();
  if (cross) {
    attentionArgs(block, pass, cross);
    if (forward) read.cross = cross.placeRequested(memory);
    ARGS.copyWithin(TransformerBlockArgs.cross, 0, ATTENTION_WORDS);
    ARGS.fill(0, 0, ATTENTION_WORDS);
    words[within(TransformerBlockArgs.cross, BlockAttentionArgs.packedIn)] = parameters.packed(
      'multihead_attn.in_proj_weight',
      0,
      queries,
    );
    words[within(TransformerBlockArgs.cross, BlockAttentionArgs.packedMemory)] = parameters.packed(
      'multihead_attn.in_proj_weight',
      queries,
    );
    words[within(TransformerBlockArgs.cross, BlockAttentionArgs.packedOut)] = parameters.packed(
      'multihead_attn.out_proj.weight',
    );
    if (forward && cross.memory) words[TransformerBlockArgs.memory] = memory.floats(cross.memory.data);
  }
  attentionArgs(block, pass, self);
  if (forward) read.self = self.placeRequested(memory);
  if (rotation) setRotation(within(TransformerBlockArgs.self, BlockAttentionArgs.rotation), rotation);
  const [first, second] = mapsOf(shape);
  for (const [name, field] of blockFields(shape))
    words[within(TransformerBlockArgs.parameters, field)] = parameters.address(name);
  words[within(TransformerBlockArgs.self, BlockAttentionArgs.packedIn)] = parameters.packed('self_attn.in_proj_weight');
  words[within(TransformerBlockArgs.self, BlockAttentionArgs.packedOut)] =
    parameters.packed('self_attn.out_proj.weight');
  words[TransformerBlockArgs.packed1] = parameters.packed(`${first}.weight`);
  words[TransformerBlockArgs.packed2] = parameters.packed(`${second}.weight`);
  words[TransformerBlockArgs.width] = shape.numHiddens;
  words[TransformerBlockArgs.hiddenWidth] = shape.hiddenWidth;
  words[TransformerBlockArgs.gated] = Number(shape.gated);
  words[TransformerBlockArgs.activation] = block.activation;
  words[TransformerBlockArgs.norm] = Number(shape.rms);
  words[TransformerBlockArgs.preNorm] = Number(block.preNorm);
  floats[TransformerBlockArgs.eps] = block.eps;
  floats[TransformerBlockArgs.headEps] = shape.heads.normEps ?? 0;
  return read;
}

/** Computes the output for x (B, L, D) and attention's requested results, and keeps what the backward pass needs. */
export function trainBlock(
  operation: string,
  block: Block,
  pass: BlockPass,
  { data, shape }: Tensor,
  into: Float32Array | undefined,
): BlockResult {
  const { raw, memory } = block.wasm;
  return memory.scope(operation, () => {
    const read = blockArgs(block, pass, true);
    const size = raw.transformerBlockKept(memory.args());
    const output = memory.reserve(data.length);
    const copied = pass.cross?.memory?.data;
    const kept = block.activations.take(operation, size + (copied?.length ?? 0));
    const steps = kept.place();
    memory.write(steps, data);
    // For the backward pass, after what the steps keep.
    if (copied) memory.write(steps + 4 * size, copied);
    words[TransformerBlockArgs.kept] = steps;
    words[TransformerBlockArgs.output] = output;
    memory.run(raw.transformerBlock);
    const self: AttentionResult = { output: memory.tensor(output, shape, into) };
    read.self?.(self);
    const cross = pass.cross && { output: self.output };
    if (cross) read.cross?.(cross);
    return { self, cross, kept };
  });
}

/** Returns the gradients of x, the memory and attention's options, and adds to the parameters' gradients. */
export function trainBlockBackward(
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
    const readSelf = optionsOf(pass.self, TransformerBlockGradArgs.self);
    const readCross = pass.cross && optionsOf(pass.cross, TransformerBlockGradArgs.cross);
    const steps = kept.place();
    words[TransformerBlockArgs.kept] = steps;
    words[TransformerBlockGradArgs.gradient] = gradient;
    if (memoryData) {
      words[TransformerBlockArgs.memory] = steps + 4 * size;
      words[TransformerBlockGradArgs.gradMemory] = memory.reserve(memoryData.length);
    }
    const gradMemory = words[TransformerBlockGradArgs.gradMemory]!;
    for (const [name, field] of blockFields(shape))
      words[within(TransformerBlockGradArgs.gradients, field)] = parameters.gradient(name);
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
