import { uniform } from '../base/random.js';
import { constantSpec, linearSpecs, type ParameterSpec } from '../base/specs.js';

/** The state dict's names, in the order of C++'s EncoderParameters. */
export const ENCODER_NAMES = [
  'self_attn.in_proj_weight',
  'self_attn.in_proj_bias',
  'self_attn.out_proj.weight',
  'self_attn.out_proj.bias',
  'linear1.weight',
  'linear1.bias',
  'linear2.weight',
  'linear2.bias',
  'norm1.weight',
  'norm1.bias',
  'norm2.weight',
  'norm2.bias',
] as const;

/** The parameters with PyTorch's first values: Xavier-uniform for the joined projection, zeros for the biases of attention. */
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
