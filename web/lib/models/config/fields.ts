import { wrongValue } from '../../check/values.js';
import { OPERATION, type Activation } from './architecture.js';

/** The fields of a config, checked as they are read. */
export class Fields {
  readonly #config: Record<string, unknown>;
  readonly #path: string;

  constructor(config: Record<string, unknown>, path = '') {
    this.#config = config;
    this.#path = path;
  }

  /** Throws the RangeError of a field that has another value than `expected` says. */
  wrong(field: string, expected: string, got: unknown): never {
    return wrongValue(
      OPERATION,
      `config.${this.#path}${field} ${expected}`,
      typeof got === 'string' ? `'${got}'` : got,
    );
  }

  get(field: string): unknown {
    return Object.hasOwn(this.#config, field) ? (this.#config[field] ?? undefined) : undefined;
  }

  has(field: string): boolean {
    return Object.hasOwn(this.#config, field);
  }

  size(field: string, otherwise?: number, max = 2 ** 24, min = 1): number {
    const value = this.get(field) ?? otherwise;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      this.wrong(field, `to be a whole number within [${min}, ${max}]`, value);
    }
    return value;
  }

  number(field: string, otherwise?: number): number {
    const value = this.get(field) ?? otherwise;
    if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(Math.fround(value))) {
      this.wrong(field, 'to be a number above 0', value);
    }
    return value;
  }

  flag(field: string, otherwise: boolean): boolean {
    const value = this.get(field) ?? otherwise;
    if (typeof value !== 'boolean') this.wrong(field, 'to be a boolean', value);
    return value;
  }

  /** Refuses a config in which a field has another value than this. */
  only(field: string, allowed: string | number | boolean): void {
    const value = this.get(field) ?? allowed;
    if (value !== allowed) this.wrong(field, `to be ${allowed}`, value);
  }

  object(field: string): Fields | undefined {
    const value = this.get(field);
    if (value === undefined) return undefined;
    if (typeof value !== 'object') this.wrong(field, 'to be an object', value);
    return new Fields(value as Record<string, unknown>, `${this.#path}${field}.`);
  }
}

/** Names of transformers' activations. */
const ACTIVATIONS: Readonly<Record<string, Activation>> = {
  gelu: 'gelu',
  gelu_python: 'gelu',
  gelu_new: 'gelu-tanh',
  gelu_fast: 'gelu-tanh',
  gelu_pytorch_tanh: 'gelu-tanh',
  relu: 'relu',
  silu: 'silu',
  swish: 'silu',
};

export function activationOf(fields: Fields, field: string, otherwise: string): Activation {
  const name = fields.get(field) ?? otherwise;
  if (typeof name !== 'string' || !Object.hasOwn(ACTIVATIONS, name)) {
    fields.wrong(field, `to be one of ${Object.keys(ACTIVATIONS).join(', ')}`, name);
  }
  return ACTIVATIONS[name]!;
}

export function eosOf(fields: Fields): ReadonlySet<number> {
  const given = fields.get('eos_token_id');
  const ids = given === undefined ? [] : Array.isArray(given) ? (given as unknown[]) : [given];
  return new Set(
    ids.map((id) =>
      Number.isInteger(id) ? (id as number) : fields.wrong('eos_token_id', 'to be a token or a list of tokens', id),
    ),
  );
}

/** The id of a token; undefined for none, which some configs write as -1. */
export function idOf(fields: Fields, field: string): number | undefined {
  const id = fields.get(field);
  return Number.isInteger(id) && (id as number) >= 0 && (id as number) < 2 ** 24 ? (id as number) : undefined;
}

/** What all families have in common, under the names that most of them use. */
export function common(
  fields: Fields,
  names: Partial<Record<'layers' | 'heads' | 'hiddens' | 'maxLength', string>> = {},
) {
  const layers = fields.size(names.layers ?? 'num_hidden_layers', undefined, 1024);
  const heads = fields.size(names.heads ?? 'num_attention_heads', undefined, 2 ** 12);
  const hiddens = fields.size(names.hiddens ?? 'hidden_size');
  const maxLength = fields.size(names.maxLength ?? 'max_position_embeddings', undefined, 2 ** 30);
  const vocab = fields.size('vocab_size');
  const architectures = fields.get('architectures');
  const head: unknown = Array.isArray(architectures) ? (architectures as unknown[])[0] : undefined;
  fields.only('add_cross_attention', false);
  return {
    layers,
    heads,
    kvHeads: heads,
    hiddens,
    maxLength,
    vocab,
    embedding: hiddens,
    groups: Array.from({ length: layers }, (_, i) => i),
    windows: [],
    eos: eosOf(fields),
    padId: idOf(fields, 'pad_token_id'),
    tokenTypes: 0,
    qkNorm: false,
    gated: false,
    head: typeof head === 'string' ? head : '',
  };
}

/** A head's width, where it is a part of the model's. */
export function headDimOf(
  fields: Fields,
  { hiddens, heads }: { readonly hiddens: number; readonly heads: number },
  name = 'num_attention_heads',
): number {
  if (hiddens % heads !== 0) fields.wrong(name, `to divide ${hiddens}`, heads);
  return hiddens / heads;
}

export const ALL_BIASES = { qkv: true, output: true, ffn: true };

/** The field that says how positions are scaled. */
export function typeField(scaling: Fields): string {
  return scaling.has('rope_type') ? 'rope_type' : 'type';
}
