/** Reads the cases of tests/fixtures, whose format tests/fixtures/README.md describes. */
import { readFileSync, readdirSync } from 'node:fs';
import { expectClose, type Numbers } from './close.js';

const ROOT = new URL('../fixtures/', import.meta.url);

/** An input. Values of dtype float32 are rounded to float32; whole numbers and booleans are kept as they are. */
export interface FixtureInput {
  readonly dtype: string;
  readonly data: Float32Array | Int32Array;
  readonly shape: readonly number[];
}

/** An expected output in float64, with its tolerance. */
export interface FixtureOutput {
  readonly data: Float64Array;
  readonly shape: readonly number[];
  readonly rtol: number;
  readonly atol: number;
  /** What computed it. */
  readonly source: string;
}

export interface Fixture {
  readonly name: string;
  readonly op: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** True if the sources disagree on part of the result; the test says what it compares. */
  readonly informational: boolean;
  /** The named input; throws if the case has none. */
  input(name: string): FixtureInput;
  output(name: string): FixtureOutput;
  has(name: string): boolean;
}

interface StoredArray {
  name: string;
  dtype: string;
  shape: number[];
  rtol?: number;
  atol?: number;
  data: (number | string)[];
}

interface StoredCase {
  name: string;
  op: string;
  source: string;
  attributes: Record<string, unknown>;
  informational?: boolean;
  inputs: StoredArray[];
  outputs: StoredArray[];
}

/** Throws unless the result is within the fixture's own tolerance. */
export function expectFixture(actual: Numbers | undefined, expected: FixtureOutput): void {
  expectClose(actual, expected, expected);
}

/** Every case of a folder whose file name matches the pattern, in alphabetical order. */
export function loadFixtures(folder: string, pattern = /./): Fixture[] {
  const directory = new URL(`${folder}/`, ROOT);
  const files = readdirSync(directory)
    .filter((file) => file.endsWith('.json') && pattern.test(file))
    .sort();
  if (files.length === 0) throw new Error(`no fixture in ${folder} matches ${String(pattern)}`);
  return files.map((file) => parse(readFileSync(new URL(file, directory), 'utf8')));
}

function parse(text: string): Fixture {
  const stored = JSON.parse(text) as StoredCase;
  const inputs = new Map(stored.inputs.map((array) => [array.name, toInput(array)]));
  const outputs = new Map(stored.outputs.map((array) => [array.name, toOutput(array, stored)]));
  return {
    name: stored.name,
    op: stored.op,
    attributes: stored.attributes,
    informational: stored.informational ?? false,
    input: (name) => get(inputs, name, stored.name),
    output: (name) => get(outputs, name, stored.name),
    has: (name) => inputs.has(name) || outputs.has(name),
  };
}

function get<T>(arrays: ReadonlyMap<string, T>, name: string, fixture: string): T {
  const array = arrays.get(name);
  if (array === undefined) throw new Error(`fixture ${fixture} has no array ${name}`);
  return array;
}

function toInput({ dtype, shape, data }: StoredArray): FixtureInput {
  const values = data.map(Number);
  return { dtype, shape, data: dtype === 'float32' ? Float32Array.from(values) : Int32Array.from(values) };
}

function toOutput({ shape, data, rtol, atol }: StoredArray, { op, source }: StoredCase): FixtureOutput {
  return {
    shape,
    data: Float64Array.from(data, Number),
    rtol: rtol ?? 0,
    atol: atol ?? 0,
    // Formulas written out in torch have names of ours.
    source: /^(torch\.nn|d2l)\./.test(op) ? `${op} (${source})` : source,
  };
}
