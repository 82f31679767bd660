/*
 * Both passes of an encoder layer, a raw call each. Versions tried (ms for a step of training: batch 32, n = 32, D = 64, 4
 * heads, 256 hidden units, with embedding, linear head, cross-entropy and Adam, 344 million operations; wasm, Xeon of the
 * Sapphire Rapids kind, Node 20):
 *   a raw call for each sublayer, what it keeps copied out and in, sums in JavaScript   13.3, a quarter of it in JavaScript
 *   a raw call for each pass, what it keeps copied out and in as one array              10.5
 *   the same, what it keeps stays in wasm memory                                        10.2   <- this
 * With 128 hidden units, on a busy machine, medians of three runs:
 *   results and gradients in fresh arrays / in some that the caller keeps (`out`)       10.56, 10.10, 10.20 / 9.86, 9.70, 9.81
 * Of the 10.2, 6.3 are matrix products, 302 million operations at the speed that kernels/tile.h gives as the micro-kernel's
 * limit; about 1.2 attention between its projections, 0.7 packing, 0.5 JavaScript, most of it fresh arrays for results.
 */
import * as AT from '../../generated/bindings/attentionArgs.js';
import * as E from '../../generated/bindings/transformerEncoderLayerArgs.js';
import * as G from '../../generated/bindings/transformerEncoderLayerGradArgs.js';
import type { CheckedAttentionOptions } from '../../ops/attention/options.js';
import { clearArgs, within, words } from '../../runtime/args.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { AttentionResult, Tensor } from '../../types.js';
import { placeOptionGradients } from '../attention/optionGradients.js';
import { setRotation, type Rotation } from '../attention/rotaryPositions.js';
import type { MultiHeadAttentionGradients } from '../attention/types.js';
import type { Activations, KeptPass } from '../base/activations.js';
import type { Parameters } from '../base/parameters.js';
import { ENCODER_FIELDS } from './parameters.js';

/** What an encoder layer is made of. */
export interface Encoder {
  readonly wasm: Wasm;
  readonly parameters: Parameters;
  readonly activations: Activations;
  readonly heads: number;
  /** Of a head. */
  readonly width: number;
  readonly hiddenWidth: number;
  /** The number in C++'s Activation. */
  readonly activation: number;
  readonly preNorm: boolean;
}

/** A checked pass. */
export interface EncoderPass {
  readonly batch: number;
  readonly length: number;
  readonly plan: CheckedAttentionOptions;
  readonly rotation: ((wasm: Wasm) => Rotation) | undefined;
  readonly training: boolean;
}

/** What both passes are told; within a scope. */
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

/** The output of x (B, L, D), what attention's options ask for, and in training what the backward pass needs. */
export function encoderForward(
  operation: string,
  encoder: Encoder,
  pass: EncoderPass,
  { data, shape }: Tensor,
  into: Float32Array | undefined,
): { result: AttentionResult; kept: KeptPass | undefined } {
  const { raw, memory } = encoder.wasm;
  return memory.scope(operation, () => {
    encoderArgs(encoder, pass);
    const size = raw.transformerEncoderLayerKept(memory.args());
    const output = memory.reserve(data.length);
    const kept = pass.training ? encoder.activations.take(operation, size) : undefined;
    const steps = kept?.place() ?? memory.reserve(size);
    memory.write(steps, data);
    words[E.kept] = steps;
    words[E.output] = output;
    memory.run(raw.transformerEncoderLayer);
    const result: AttentionResult = {
      output: { data: memory.read(output, data.length, into), shape: [...shape] },
    };
    pass.plan.read(memory, result);
    return { result, kept };
  });
}

/** The gradients of x and of attention's options; adds to the parameters'. */
export function encoderBackward(
  operation: string,
  encoder: Encoder,
  pass: EncoderPass,
  kept: KeptPass,
  gradOutput: Float32Array,
  into: Float32Array | undefined,
): { input: Tensor } & Pick<MultiHeadAttentionGradients, 'bias' | 'relativeKeys' | 'relativeValues'> {
  const { wasm, parameters, heads, width } = encoder;
  const { raw, memory } = wasm;
  return memory.scope(operation, () => {
    // All room before the first gradient is added to.
    encoderArgs(encoder, pass);
    const gradient = memory.floats(gradOutput);
    const options = placeOptionGradients(memory, pass.plan.differentiable);
    words[E.kept] = kept.place();
    words[G.gradient] = gradient;
    for (const [name, field] of ENCODER_FIELDS) words[within(G.gradients, field)] = parameters.gradient(name);
    words[G.gradBias] = options.bias;
    words[G.gradRelativeKeys] = options.relativeKeys;
    words[G.gradRelativeValues] = options.relativeValues;
    memory.run(raw.transformerEncoderLayerBackward);
    kept.done();
    const shape = [pass.batch, pass.length, heads * width];
    return { input: { data: memory.read(gradient, gradOutput.length, into), shape }, ...options.read() };
  });
}
