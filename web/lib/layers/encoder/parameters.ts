import * as P from '../../generated/bindings/encoderParameters.js';
import { uniform } from '../base/random.js';
import { constantSpec, linearSpecs, type ParameterSpec } from '../base/specs.js';

/** The names in the state dict, in the order of the fields of C++'s EncoderParameters. */
export const ENCODER_FIELDS = [
  ['self_attn.in_proj_weight', P.inWeight],
  ['self_attn.in_proj_bias', P.inBias],
  ['self_attn.out_proj.weight', P.outWeight],
  ['self_attn.out_proj.bias', P.outBias],
  ['linear1.weight', P.weight1],
  ['linear1.bias', P.bias1],
  ['linear2.weight', P.weight2],
  ['linear2.bias', P.bias2],
  ['norm1.weight', P.norm1Weight],
  ['norm1.bias', P.norm1Bias],
  ['norm2.weight', P.norm2Weight],
  ['norm2.bias', P.norm2Bias],
] as const;

/** The parameters with PyTorch's initial values: Xavier-uniform for the joined projection, zeros for the biases of attention. */
export function encoderSpecs(
  width: number,
  hiddenWidth: number,
  bias: boolean,
  seed: number,
): ParameterSpec[] {
  const joined: ParameterSpec = {
    name: 'self_attn.in_proj_weight',
    shape: [3 * width, width],
    initial: () => uniform(seed, 0, 3 * width * width, Math.sqrt(6 / (4 * width))),
  };
  return [
    joined,
    ...(bias ? [constantSpec('self_attn.in_proj_bias', [3 * width], 0)] : []),
    ...linearSpecs('self_attn.out_proj', width, width, false, seed, 1),
    ...(bias ? [constantSpec('self_attn.out_proj.bias', [width], 0)] : []),
    ...linearSpecs('linear1', hiddenWidth, width, bias, seed, 2),
    ...linearSpecs('linear2', width, hiddenWidth, bias, seed, 4),
    ...['norm1', 'norm2'].flatMap((norm) => [
      constantSpec(`${norm}.weight`, [width], 1),
      constantSpec(`${norm}.bias`, [width], 0),
    ]),
  ];
}
