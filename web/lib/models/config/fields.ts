/** Reads fields of configs, and those that many families share. */
import { tagOf, wrongKind, wrongValue } from '../../check/values.js';
import { OPERATION, type Activation, type Part, type VectorActivation, type Window } from './architecture.js';

/**
 * The fields of a config, checked as they are read. A field that is null counts as false where a boolean is expected,
 * as in transformers. Where a number or a name is expected, null is refused unless transformers has a meaning for it.
 */
export class Fields {
  /** The part that is to be opened, of a checkpoint with two towers. */
  readonly part: Part | undefined;
  readonly #config: Record<string, unknown>;
  readonly #path: string;
  readonly #operation: string;
  readonly #read = new Set<string>();

  /** @param path what errors write before a field's name */
  constructor(config: Record<string, unknown>, path = 'config.', operation = OPERATION, part?: Part) {
    this.#config = config;
    this.#path = path;
    this.#operation = operation;
    this.part = part;
  }

  /** Throws a RangeError for a field that is not as `expected`. */
  wrong(field: string, expected: string, got: unknown): never {
    return wrongValue(this.#operation, `${this.#path}${field} ${expected}`, typeof got === 'string' ? `'${got}'` : got);
  }

  /** The field's value; undefined also for null. */
  get(field: string): unknown {
    return this.#given(field) ?? undefined;
  }

  has(field: string): boolean {
    return Object.hasOwn(this.#config, field);
  }

  get names(): readonly string[] {
    return Object.keys(this.#config);
  }

  /** Whether something has asked for the field's value. */
  isRead(field: string): boolean {
    return this.#read.has(field);
  }

  /** The field's value, or `otherwise` if the config does not have it. */
  #given(field: string, otherwise?: unknown): unknown {
    this.#read.add(field);
    return this.has(field) ? this.#config[field] : otherwise;
  }

  size(field: string, otherwise?: number, max = 2 ** 24, min = 1): number {
    const value = this.#given(field, otherwise);
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      this.wrong(field, `to be a whole number within [${min}, ${max}]`, value);
    }
    return value;
  }

  /** A size, or undefined where it is null, which transformers takes for something. */
  sizeOrNull(field: string, max?: number, otherwise?: number): number | undefined {
    if (!this.has(field)) return otherwise;
    return this.get(field) === undefined ? undefined : this.size(field, undefined, max);
  }

  number(field: string, otherwise?: number): number {
    const value = this.#given(field, otherwise);
    if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(Math.fround(value))) {
      this.wrong(field, 'to be a number above 0', value);
    }
    return value;
  }

  numberOrNull(field: string, otherwise?: number): number | undefined {
    if (!this.has(field)) return otherwise;
    return this.get(field) === undefined ? undefined : this.number(field);
  }

  flag(field: string, otherwise: boolean): boolean {
    const value = this.#given(field, otherwise) ?? false;
    if (typeof value !== 'boolean') this.wrong(field, 'to be a boolean', value);
    return value;
  }

  /** What a name stands for. */
  oneOf<T>(field: string, names: Readonly<Record<string, T>>, otherwise?: string): T {
    const value = this.#given(field, otherwise);
    if (typeof value !== 'string' || !Object.hasOwn(names, value)) {
      this.wrong(field, `to be one of ${Object.keys(names).join(', ')}`, value);
    }
    return names[value]!;
  }

  /** Rejects a config in which a field has another value than this. */
  only(field: string, allowed: string | number | boolean): void {
    const value = this.#given(field, allowed) ?? false;
    if (value !== allowed) this.wrong(field, `to be ${allowed}`, value);
  }

  /** Rejects a config that has this field, unless it is null, false, 0, empty or `neutral`. */
  without(field: string, neutral?: unknown): void {
    const value = this.get(field) ?? false;
    const isEmpty = typeof value === 'object' && Object.keys(value).length === 0;
    if (!isEmpty && value !== false && value !== 0 && value !== neutral) this.wrong(field, 'to be null', value);
  }

  /** Rejects a config that has this field with another value; null counts as missing. */
  onlyIfGiven(field: string, allowed: number): void {
    if (this.get(field) !== undefined) this.only(field, allowed);
  }

  isObject(field: string): boolean {
    return tagOf(this.get(field)) === 'Object';
  }

  object(field: string): Fields | undefined {
    const value = this.get(field);
    if (value === undefined) return undefined;
    if (tagOf(value) !== 'Object') this.wrong(field, 'to be an object', value);
    return new Fields(value as Record<string, unknown>, `${this.#path}${field}.`, this.#operation);
  }

  equals(other: Fields): boolean {
    const [mine, others] = [this.#config, other.#config].map((each) => JSON.stringify(Object.entries(each).sort()));
    return mine === others;
  }
}

/**
 * A copy of an object, so that its getters and proxies run once.
 *
 * @param revive as JSON.parse takes it
 */
export function plainCopy(
  operation: string,
  name: string,
  value: unknown,
  revive?: (this: unknown, key: string, value: unknown) => unknown,
): Record<string, unknown> {
  if (Object(value) !== value || Array.isArray(value)) wrongKind(operation, `${name} to be an object`, value);
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(value), revive);
  } catch {
    // A circular object, or a getter that throws.
  }
  if (Object(copy) !== copy) wrongKind(operation, `${name} to be plain data`, 'something else');
  return copy as Record<string, unknown>;
}

/** The fields that all families have, under the names that most of them use. */
const NAMES = {
  layers: 'num_hidden_layers',
  heads: 'num_attention_heads',
  hiddens: 'hidden_size',
  maxLength: 'max_position_embeddings',
};

/** The names of these fields in a family, and defaults for those that its configs may leave out. */
type Names = Partial<typeof NAMES>;
type Defaults = Partial<Record<keyof typeof NAMES | 'vocab', number>>;

/** Where a config has a field under both names, the one of NAMES wins, as in transformers. */
function sizeOf(fields: Fields, name: keyof typeof NAMES, names: Names, defaults: Defaults, max?: number): number {
  return fields.size(fields.has(NAMES[name]) ? NAMES[name] : (names[name] ?? NAMES[name]), defaults[name], max);
}

/** The fields that all families of tokens have. */
export function common(fields: Fields, names: Names = {}, defaults: Defaults = {}) {
  return {
    ...layersOf(fields, names, defaults),
    maxLength: sizeOf(fields, 'maxLength', names, defaults, 2 ** 30),
    vocab: fields.size('vocab_size', defaults.vocab),
  };
}

/** The fields that all families have. */
export function layersOf(fields: Fields, names: Names = {}, defaults: Defaults = {}) {
  const layers = sizeOf(fields, 'layers', names, defaults, 1024);
  const heads = sizeOf(fields, 'heads', names, defaults, 2 ** 12);
  const hiddens = sizeOf(fields, 'hiddens', names, defaults);
  fields.only('add_cross_attention', false);
  return {
    family: String(fields.get('model_type')),
    layers,
    heads,
    kvHeads: heads,
    hiddens,
    embedding: hiddens,
    groups: Array.from({ length: layers }, (_, i) => i),
    windows: [],
    eos: eosOf(fields),
    padId: idOf(fields, 'pad_token_id'),
    tokenTypes: 0,
    gated: false,
    className: classNameOf(fields),
    labels: labelsOf(fields),
  };
}

/** The first of `architectures`. */
export function classNameOf(fields: Fields): string {
  const architectures = fields.get('architectures');
  const first: unknown = Array.isArray(architectures) ? (architectures as unknown[])[0] : undefined;
  return typeof first === 'string' ? first : '';
}

/** The width of a head, if all heads together are as wide as the model. */
export function headDimOf(
  fields: Fields,
  { hiddens, heads }: { readonly hiddens: number; readonly heads: number },
  name = NAMES.heads,
): number {
  if (hiddens % heads !== 0) fields.wrong(name, `to divide ${hiddens}`, heads);
  return hiddens / heads;
}

/** Biases of all modules, or of none. */
export function biases(all: boolean) {
  return { qkv: all, output: all, up: all, down: all, norm: all };
}

/** Names of transformers' activations. */
const ACTIVATIONS: Readonly<Record<string, Activation>> = {
  gelu: 'gelu',
  gelu_python: 'gelu',
  gelu_new: 'gelu-tanh',
  gelu_fast: 'gelu-tanh',
  gelu_pytorch_tanh: 'gelu-tanh',
  quick_gelu: 'quick-gelu',
  relu: 'relu',
  silu: 'silu',
  swish: 'silu',
};

export function activationOf(fields: Fields, field: string, otherwise: string): Activation {
  return fields.oneOf(field, ACTIVATIONS, otherwise);
}

export function vectorActivationOf(fields: Fields, field: string, otherwise: string): VectorActivation {
  return fields.oneOf<VectorActivation>(field, { ...ACTIVATIONS, tanh: 'tanh' }, otherwise);
}

/** The id of a token; undefined for none, which some configs write as -1. */
export function idOf(fields: Fields, field: string): number | undefined {
  const id = fields.get(field);
  if (id === undefined) return undefined;
  if (!Number.isInteger(id)) fields.wrong(field, 'to be a token', id);
  return (id as number) >= 0 && (id as number) < 2 ** 24 ? (id as number) : undefined;
}

/** The tokens that end a text. */
export function eosOf(fields: Fields): ReadonlySet<number> {
  const ids = [fields.get('eos_token_id') ?? []].flat() as unknown[];
  return new Set(
    ids.map((id) =>
      Number.isInteger(id) ? (id as number) : fields.wrong('eos_token_id', 'to be a token or a list of tokens', id),
    ),
  );
}

/** The names of classes: `id2label` in the order of its numbers, or default names for `num_labels`. */
export function labelsOf(fields: Fields): readonly string[] | undefined {
  const id2label = fields.get('id2label');
  if (id2label === undefined) {
    return fields.get('num_labels') === undefined ? undefined : unnamedLabels(fields.size('num_labels'));
  }
  const names = typeof id2label === 'object' ? (id2label as Record<number, unknown>) : {};
  const labels = Object.keys(names).map((_, i) => names[i]);
  if (labels.length === 0 || !labels.every((label) => typeof label === 'string')) {
    fields.wrong('id2label', 'to have a name for each number from 0 on', id2label);
  }
  return labels;
}

export function unnamedLabels(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `LABEL_${i}`);
}

/** The keys that a query sees in layers with a sliding window, itself among them; null means that there are none. */
export function windowOf(fields: Fields, otherwise?: number): Window | undefined {
  const width = fields.sizeOrNull('sliding_window', 2 ** 30, otherwise);
  return width === undefined ? undefined : { left: width - 1 };
}

/**
 * For each layer, the keys that a query sees: `window` in layers that `layer_types` calls sliding_attention.
 * transformers fails if there are such layers without a window.
 *
 * @param isWindowed whether a layer has the window if the config has no `layer_types`
 */
export function windowsOf(
  fields: Fields,
  layers: number,
  window: Window | undefined,
  isWindowed: (layer: number) => boolean = () => true,
): (Window | undefined)[] {
  const types = layerTypesOf(fields, layers);
  if (window === undefined) {
    if (types?.includes(SLIDING)) fields.wrong('layer_types', `without ${SLIDING}, as there is no window`, SLIDING);
    return [];
  }
  return Array.from({ length: layers }, (_, i) =>
    (types ? types[i] === SLIDING : isWindowed(i)) ? window : undefined,
  );
}

export const FULL = 'full_attention';
export const SLIDING = 'sliding_attention';

/** Each layer's kind of attention, if the config lists them. */
export function layerTypesOf(fields: Fields, layers: number): readonly string[] | undefined {
  return perLayer(fields, 'layer_types', layers, [FULL, SLIDING]);
}

/** A list with one of two values for each layer, if the config has it. */
export function perLayer<T>(
  fields: Fields,
  field: string,
  layers: number,
  allowed: readonly [T, T],
): readonly T[] | undefined {
  const list = fields.get(field);
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.length !== layers) fields.wrong(field, `of ${layers} layers`, list);
  for (const each of list as readonly T[]) {
    if (!allowed.includes(each)) fields.wrong(field, `of ${allowed.join(' and ')}`, each);
  }
  return list as readonly T[];
}
