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

  name(field: string): string {
    return `config.${this.#path}${field}`;
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
      wrongValue(
        OPERATION,
        `${this.name(field)} to be a whole number within [${min}, ${max}]`,
        this.shown(value),
      );
    }
    return value;
  }

  number(field: string, otherwise?: number): number {
    const value = this.get(field) ?? otherwise;
    if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(Math.fround(value))) {
      wrongValue(OPERATION, `${this.name(field)} to be a number above 0`, this.shown(value));
    }
    return value;
  }

  numbers(field: string): number[] {
    const value = this.get(field);
    if (!Array.isArray(value) || !value.every((x) => typeof x === 'number' && x > 0)) {
      wrongValue(OPERATION, `${this.name(field)} to be a list of numbers above 0`, this.shown(value));
    }
    return value as number[];
  }

  flag(field: string, otherwise: boolean): boolean {
    const value = this.get(field) ?? otherwise;
    if (typeof value !== 'boolean')
      wrongValue(OPERATION, `${this.name(field)} to be a boolean`, this.shown(value));
    return value;
  }

  /** Refuses a config in which a field has another value than this. */
  only(field: string, ...allowed: readonly unknown[]): void {
    const value = this.get(field);
    if (value !== undefined && !allowed.includes(value)) {
      wrongValue(
        OPERATION,
        `${this.name(field)} to be ${allowed.map(String).join(' or ')}`,
        this.shown(value),
      );
    }
  }

  object(field: string): Fields | undefined {
    const value = this.get(field);
    if (value === undefined) return undefined;
    if (typeof value !== 'object')
      wrongValue(OPERATION, `${this.name(field)} to be an object`, this.shown(value));
    return new Fields(value as Record<string, unknown>, `${this.#path}${field}.`);
  }

  shown(value: unknown): unknown {
    return typeof value === 'string' ? `'${value}'` : value;
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
    const known = Object.keys(ACTIVATIONS).join(', ');
    wrongValue(OPERATION, `${fields.name(field)} to be one of ${known}`, fields.shown(name));
  }
  return ACTIVATIONS[name]!;
}

export function eosOf(fields: Fields): ReadonlySet<number> {
  const given = fields.get('eos_token_id');
  const ids = given === undefined ? [] : Array.isArray(given) ? (given as unknown[]) : [given];
  return new Set(
    ids.map((id) =>
      Number.isInteger(id)
        ? (id as number)
        : wrongValue(
            OPERATION,
            `${fields.name('eos_token_id')} to be a token or a list of tokens`,
            fields.shown(id),
          ),
    ),
  );
}

/** The id of a token; undefined for none, which some configs write as -1. */
export function idOf(fields: Fields, field: string): number | undefined {
  const id = fields.get(field);
  return Number.isInteger(id) && (id as number) >= 0 && (id as number) < 2 ** 24 ? (id as number) : undefined;
}
