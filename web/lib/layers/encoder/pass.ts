/*
 * Both passes of an encoder layer, with one call into the wasm each.
 *
 * Versions tried (ms for a step of training: batch 32, n = 32, D = 64, 4 heads, 256 hidden units, with embedding, linear head,
 * cross-entropy and Adam; Sapphire Rapids, Node 20):
 *   a call for each sublayer, which copies what it keeps        13.3
 *   a call for each pass, which copies what it keeps            10.5
 *   a call for each pass, which keeps it in wasm memory         10.2   <- this
 * Of the 10.2 ms, 6.3 are matrix products at the speed of the micro-kernel.
 * Today: npm run bench -- --work training
 */
import * as AT from '../../generated/bindings/attentionArgs.js';
import * as E from '../../generated/bindings/transformerEncoderLayerArgs.js';
import * as G from '../../generated/bindings/transformerEncoderLayerGradArgs.js';
import { placeOptionGradients, type OptionFields } from '../../ops/attention/optionGradients.js';
import type { AskedResults, CheckedAttentionOptions } from '../../ops/attention/options.js';
import { clearArgs, within, words } from '../../runtime/args.js';
import { fresh } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { AttentionResult, Tensor } from '../../types.js';
import { setRotation, type Rotation } from '../attention/rotaryPositions.js';
import type { MultiHeadAttentionGradients } from '../attention/types.js';
import type { Activations, KeptPass } from '../base/activations.js';
import type { Parameters } from '../base/parameters.js';
import { ENCODER_FIELDS } from './parameters.js';

/** The parts and sizes of an encoder layer. */
export interface Encoder {
  readonly wasm: Wasm;
  readonly parameters: Parameters;
  readonly activations: Activations;
  readonly heads: number;
  /** The width of a head. */
  readonly width: number;
  readonly hiddenWidth: number;
  /** Its number in C++. */
  readonly activation: number;
  readonly preNorm: boolean;
}

/** The checked arguments of a pass. */
export interface EncoderPass {
  readonly batch: number;
  readonly length: number;
  readonly plan: CheckedAttentionOptions;
  readonly rotation: ((wasm: Wasm) => Rotation) | undefined;
  readonly training: boolean;
}

const OPTION_GRADIENTS: OptionFields = {
  bias: [G.gradBias, G.lostBias],
  relativeKeys: [G.gradRelativeKeys, G.lostRelativeKeys],
  relativeValues: [G.gradRelativeValues, G.lostRelativeValues],
  sinks: [G.gradSinks, G.lostSinks],
};

/** Sets the arguments that both passes share; within a scope. */
function encoderArgs(encoder: Encoder, pass: EncoderPass): void {
  const { wasm, parameters, heads, width, hiddenWidth, activation, preNorm } = encoder;
  const rotation = pass.rotation?.(wasm);
  clearArgs();
  words[AT.batch] = pass.batch;
  words[AT.heads] = heads;
  words[AT.kvHeads] = heads;
  words[AT.queries] = pass.length;
  words[AT.keys] = pass.length;
  words[AT.width] = width;
  words[AT.valueWidth] = width;
  pass.plan.place(wasm.memory);
  if (rotation) setRotation(E.rotation, rotation);
  for (const [name, field] of ENCODER_FIELDS) words[within(E.parameters, field)] = parameters.address(name);
  words[E.packedIn] = parameters.packed('self_attn.in_proj_weight');
  words[E.packedOut] = parameters.packed('self_attn.out_proj.weight');
  words[E.packed1] = parameters.packed('linear1.weight');
  words[E.packed2] = parameters.packed('linear2.weight');
  words[E.hiddenWidth] = hiddenWidth;
  words[E.activation] = activation;
  words[E.preNorm] = Number(preNorm);
  words[E.training] = Number(pass.training);
}

/** Computes the output for x (B, L, D) and what attention's options ask for; in training keeps what the backward pass needs. */
export function encoderForward(
  operation: string,
  encoder: Encoder,
  pass: EncoderPass,
  asked: AskedResults,
  { data, shape }: Tensor,
  into: Float32Array | undefined,
): { result: AttentionResult; kept: KeptPass | undefined } {
  const { raw, memory } = encoder.wasm;
  return memory.scope(operation, () => {
    encoderArgs(encoder, pass);
    asked.place(memory);
    const size = raw.transformerEncoderLayerKept(memory.args());
    const output = memory.reserve(data.length);
    const kept = pass.training ? encoder.activations.take(operation, size) : undefined;
    const steps = kept?.place() ?? memory.reserve(size);
    memory.write(steps, data);
    words[E.kept] = steps;
    words[E.output] = output;
    memory.run(raw.transformerEncoderLayer);
    const result: AttentionResult = { output: memory.tensor(output, shape, into) };
    asked.read(memory, result);
    return { result, kept };
  });
}

/** Returns the gradients of x and of attention's options, and adds to those of the parameters. */
export function encoderBackward(
  operation: string,
  encoder: Encoder,
  pass: EncoderPass,
  kept: KeptPass,
  gradOutput: Float32Array,
  into: Float32Array | undefined,
): { input: Tensor } & Pick<
  MultiHeadAttentionGradients,
  'bias' | 'relativeKeys' | 'relativeValues' | 'sinks'
> {
  const { wasm, parameters, heads, width } = encoder;
  const { raw, memory } = wasm;
  return memory.scope(operation, () => {
    // Allocate all memory before a gradient is changed.
    encoderArgs(encoder, pass);
    const gradient = memory.floats(gradOutput);
    const data = into ?? fresh(operation, Float32Array, gradOutput.length);
    const readOptions = placeOptionGradients(operation, memory, pass.plan.differentiable, OPTION_GRADIENTS, {
      batch: pass.batch,
      heads,
      queries: pass.length,
      keys: pass.length,
    });
    words[E.kept] = kept.place();
    words[G.gradient] = gradient;
    for (const [name, field] of ENCODER_FIELDS) words[within(G.gradients, field)] = parameters.gradient(name);
    memory.run(raw.transformerEncoderLayerBackward);
    kept.done();
    const shape = [pass.batch, pass.length, heads * width];
    return { input: { data: memory.read(gradient, data.length, data), shape }, ...readOptions() };
  });
}
