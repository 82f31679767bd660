/**
 * The parameters of a block: their names in the state dict, their initial values, and their fields in C++'s
 * BlockParameters.
 */
import * as AttentionParameters from '../../generated/bindings/attentionParameters.js';
import type { Within, Word } from '../../generated/bindings/args.js';
import * as BlockParameters from '../../generated/bindings/blockParameters.js';
import * as NormParameters from '../../generated/bindings/normParameters.js';
import { within } from '../../runtime/args.js';
import { headNormSpecs, type HeadShape, type ProjectionBiases } from '../attention/headOptions.js';
import { uniform } from '../base/random.js';
import { constantSpec, linearSpecs, type ParameterSpec } from '../base/specs.js';

/** The settings that decide which parameters a block has. */
export interface BlockShape {
  readonly numHiddens: number;
  readonly hiddenWidth: number;
  readonly heads: HeadShape;
  readonly crosses: boolean;
  readonly gated: boolean;
  /** Whether norms are RMSNorms, without biases. */
  readonly rms: boolean;
  readonly bias: Required<ProjectionBiases>;
  /** Whether the feed-forward network has biases. */
  readonly feedBias: boolean;
}

/** The first and the second map of the feed-forward network. */
export const mapsOf = ({ gated }: BlockShape): readonly [string, string] =>
  gated ? ['gate_proj', 'down_proj'] : ['linear1', 'linear2'];

/** The rows of an attention's joined projection: queries, then keys and values. */
export function joinedRows({ heads, kvHeads, width }: HeadShape): { queries: number; all: number } {
  return { queries: heads * width, all: (heads + 2 * kvHeads) * width };
}

/** Names with the fields for their addresses, which is also their order in the state dict. */
export function blockFields(shape: BlockShape): (readonly [string, Word])[] {
  const [first, second] = mapsOf(shape);
  const attention = (name: string, at: Within<'AttentionParameters'>) =>
    [
      [`${name}.in_proj_weight`, within(at, AttentionParameters.inWeight)],
      [`${name}.in_proj_bias`, within(at, AttentionParameters.inBias)],
      [`${name}.out_proj.weight`, within(at, AttentionParameters.outWeight)],
      [`${name}.out_proj.bias`, within(at, AttentionParameters.outBias)],
      [`${name}.q_norm.weight`, within(at, AttentionParameters.queryNorm)],
      [`${name}.k_norm.weight`, within(at, AttentionParameters.keyNorm)],
    ] as const;
  const norms = shape.crosses
    ? [BlockParameters.norm1, BlockParameters.norm2, BlockParameters.norm3]
    : [BlockParameters.norm1, BlockParameters.norm3];
  return [
    ...attention('self_attn', BlockParameters.self),
    ...attention('multihead_attn', BlockParameters.cross),
    [`${first}.weight`, BlockParameters.weight1],
    [`${first}.bias`, BlockParameters.bias1],
    [`${second}.weight`, BlockParameters.weight2],
    [`${second}.bias`, BlockParameters.bias2],
    ...norms.flatMap((at, i) => [
      [`norm${i + 1}.weight`, within(at, NormParameters.weight)] as const,
      [`norm${i + 1}.bias`, within(at, NormParameters.bias)] as const,
    ]),
  ];
}

/**
 * The parameters with PyTorch's initial values: Xavier-uniform for the joined projection, zeros for the biases of
 * attention.
 */
export function blockSpecs(shape: BlockShape, seed: number): ParameterSpec[] {
  const { numHiddens: width, hiddenWidth, heads, bias, feedBias } = shape;
  const attention = (name: string, heads: HeadShape, stream: number): ParameterSpec[] => {
    const { queries, all } = joinedRows(heads);
    const bound = Math.sqrt(6 / (all + width));
    return [
      {
        name: `${name}.in_proj_weight`,
        shape: [all, width],
        initial: () => uniform(seed, stream, all * width, bound),
      },
      ...(bias.query ? [constantSpec(`${name}.in_proj_bias`, [all], 0)] : []),
      ...linearSpecs(`${name}.out_proj`, width, queries, false, seed, stream + 1),
      ...(bias.output ? [constantSpec(`${name}.out_proj.bias`, [width], 0)] : []),
      ...headNormSpecs(`${name}.`, heads),
    ];
  };
  const [first, second] = mapsOf(shape);
  const up = linearSpecs('up_proj', hiddenWidth, width, feedBias, seed, 6);
  return [
    ...attention('self_attn', heads, 0),
    ...(shape.crosses ? attention('multihead_attn', heads, 8) : []),
    ...linearSpecs(first, hiddenWidth, width, feedBias, seed, 2),
    // One product computes gates and values.
    ...(shape.gated ? up.map((spec) => ({ ...spec, follows: spec.name.replace('up', 'gate') })) : []),
    ...linearSpecs(second, width, hiddenWidth, feedBias, seed, 4),
    ...(shape.crosses ? ['norm1', 'norm2', 'norm3'] : ['norm1', 'norm2']).flatMap((norm) => [
      constantSpec(`${norm}.weight`, [width], 1),
      ...(shape.rms ? [] : [constantSpec(`${norm}.bias`, [width], 0)]),
    ]),
  ];
}
