/** Reads a preprocessor_config.json of Hugging Face's transformers. */
import { Fields, plainCopy } from '../config/fields.js';
import { COPY, KERNELS, type Kernel } from './taps.js';

export const OPERATION = 'pixelsOf';

const square = (side: number): object => ({ height: side, width: side });

const ViT = {
  do_resize: true,
  size: square(224),
  default_to_square: true,
  resample: 2,
  do_center_crop: false,
  do_rescale: true,
  rescale_factor: 1 / 255,
  do_normalize: true,
  image_mean: 0.5 as unknown,
  image_std: 0.5 as unknown,
};
const DeiT = { ...ViT, size: square(256), resample: 3, do_center_crop: true, crop_size: square(224) };
const CLIP = {
  ...DeiT,
  size: { shortest_edge: 224 },
  default_to_square: false,
  image_mean: [0.48145466, 0.4578275, 0.40821073],
  image_std: [0.26862954, 0.26130258, 0.27577711],
};
const Siglip = { ...ViT, default_to_square: false, resample: 3 };

/** The defaults of transformers' processors. */
const PROCESSORS = { ViT, DeiT, CLIP, Bit: CLIP, Siglip };

/** The defaults for a file that names no processor. */
const OF_MODELS = {
  vit: ViT,
  deit: DeiT,
  dinov2: CLIP,
  dinov2_with_registers: CLIP,
  clip: CLIP,
  clip_vision_model: CLIP,
  siglip: Siglip,
  siglip_vision_model: Siglip,
};

type Sides = readonly [height: number, width: number];

/** What is done to a picture. */
export interface Processor {
  /** The size, or the shorter side, that it is brought to; undefined if it keeps its own. */
  readonly size: Sides | number | undefined;
  readonly kernel: Kernel;
  /** The size of its middle, which is all that is kept. */
  readonly crop: Sides | undefined;
  /** (3, 256): what becomes of each byte in each channel. */
  readonly numbers: Float32Array;
}

/** @throws TypeError if it is not an object; RangeError that names a field that is wrong or not supported */
export function readProcessor(imageConfig: unknown): Processor {
  // For a field that is null, transformers takes the default.
  const given = plainCopy(OPERATION, 'imageConfig', imageConfig, function (_, value: unknown) {
    return Array.isArray(this) ? value : (value ?? undefined);
  });
  const fields = fieldsOf({ ...defaultsOf(fieldsOf(given)), ...given });
  const resizes = fields.flag('do_resize', true);
  const resample = fields.get('resample') as number;
  if (resizes && !Object.hasOwn(KERNELS, resample)) {
    fields.wrong('resample', 'to be 2 (bilinear) or 3 (bicubic)', resample);
  }
  const processor = {
    size: resizes ? sizeOf(fields, 'size', fields.flag('default_to_square', true)) : undefined,
    kernel: resizes ? KERNELS[resample]! : COPY,
    crop: fields.flag('do_center_crop', false) ? cropOf(fields) : undefined,
    numbers: numbersOf(fields),
  };
  // Alpha is dropped anyway.
  fields.flag('do_convert_rgb', true);
  for (const name of fields.names)
    if (/^(do_|use_square_size|image_processor$)/.test(name) && !fields.isRead(name)) fields.without(name);
  return processor;
}

const fieldsOf = (config: object, path = '') =>
  new Fields(config as Record<string, unknown>, `imageConfig.${path}`, OPERATION);

function defaultsOf(fields: Fields): object {
  const field = ['image_processor_type', 'feature_extractor_type'].find((each) => fields.has(each));
  if (field === undefined) return fields.oneOf('model_type', OF_MODELS);
  const type = fields.get(field);
  const [, name = ''] = /^(\w+?)(?:ImageProcessor(?:Fast|Pil)?|FeatureExtractor)$/.exec(String(type)) ?? [];
  if (Object.hasOwn(PROCESSORS, name)) return PROCESSORS[name as keyof typeof PROCESSORS];
  const known = Object.keys(PROCESSORS).map((each) => `${each}ImageProcessor`);
  return fields.wrong(field, `to be one of ${known.join(', ')}`, type);
}

/** Height and width, or the shorter edge. */
function sizeOf(fields: Fields, field: string, isSquare: boolean): Sides | number {
  const value = fields.get(field);
  const named =
    typeof value !== 'number'
      ? Array.isArray(value) && value.length === 2 && { height: value[0] as unknown, width: value[1] as unknown }
      : isSquare
        ? square(value)
        : { shortest_edge: value };
  const sides = named ? fieldsOf(named, `${field}.`) : fields.object(field);
  const names = sides && [...sides.names].sort().join(' and ');
  if (sides && names === 'shortest_edge') return sides.size(names);
  if (!sides || names !== 'height and width') fields.wrong(field, 'to have height and width, or shortest_edge', names);
  return [sides.size('height'), sides.size('width')];
}

function cropOf(fields: Fields): Sides {
  const size = sizeOf(fields, 'crop_size', true);
  return typeof size === 'number' ? fields.wrong('crop_size', 'to have height and width', 'shortest_edge') : size;
}

function numbersOf(fields: Fields): Float32Array {
  const factor = fields.flag('do_rescale', true) ? fields.number('rescale_factor') : 1;
  const normalises = fields.flag('do_normalize', true);
  const [means, deviations] = normalises
    ? [threeOf(fields, 'image_mean', -Infinity), threeOf(fields, 'image_std', 0)]
    : [
        [0, 0, 0],
        [1, 1, 1],
      ];
  // float32 after each operation, as there.
  return Float32Array.from({ length: 3 * 256 }, (_, i) => {
    const [channel, byte] = [i >> 8, i & 255];
    return Math.fround(Math.fround(byte * factor) - Math.fround(means[channel]!)) / Math.fround(deviations[channel]!);
  });
}

/** A number for each channel, or one for all. */
function threeOf(fields: Fields, field: string, above: number): readonly number[] {
  const value = fields.get(field);
  const list = (Array.isArray(value) ? value : [value, value, value]) as readonly unknown[];
  const isRight = (each: unknown) =>
    typeof each === 'number' && Number.isFinite(Math.fround(each)) && Math.fround(each) > above;
  if (list.length === 3 && list.every(isRight)) return list as readonly number[];
  return fields.wrong(field, `to be 3 numbers${above === 0 ? ' above 0' : ''}`, JSON.stringify(value));
}
