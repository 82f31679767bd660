import { expect } from '@jest/globals';
import { attention } from '../support/library.js';
import { testRejections, type Rejection } from '../support/rejections.js';

const makeLayer = () => new attention.Linear({ inFeatures: 6, outFeatures: 5, seed: 1 });

const layer = makeLayer();
const gone = makeLayer();
const disposed = gone.parameters();
gone.dispose();
const make = (parameters: unknown, options?: unknown) => () =>
  new attention.Adam(parameters as never, options as never);
const option = (options: unknown) => make(layer.parameters(), options);
const rows: Rejection[] = [
  ['no parameters', 'RangeError', make([])],
  ['undefined', 'TypeError', make(undefined)],
  ['a layer', 'TypeError', make(layer)],
  ['a state dict', 'TypeError', make(layer.stateDict())],
  ['tensors', 'TypeError', make([{ data: new Float32Array(2), shape: [2] }])],
  ['numbers', 'TypeError', make([1])],
  ['a parameter twice', 'RangeError', make([...layer.parameters(), ...layer.parameters()])],
  ["a disposed layer's parameters", 'TypeError', make(disposed)],
  ['a negative lr', 'RangeError', option({ lr: -1 })],
  ['an lr of NaN', 'RangeError', option({ lr: NaN })],
  ['one beta', 'RangeError', option({ betas: [0.9] })],
  ['a beta of 1', 'RangeError', option({ betas: [0.9, 1] })],
  ['a negative beta', 'RangeError', option({ betas: [-0.1, 0.9] })],
  ['betas that are a number', 'TypeError', option({ betas: 0.9 })],
  ['a negative eps', 'RangeError', option({ eps: -1e-8 })],
  ['a negative weightDecay', 'RangeError', option({ weightDecay: -1 })],
  ['a weightDecay that is a string', 'TypeError', option({ weightDecay: '1' })],
  ['a maxGradNorm of 0', 'RangeError', option({ maxGradNorm: 0 })],
  ['options that are a number', 'TypeError', option(1e-3)],
];
testRejections('Adam', rows, () => expect(new attention.Adam(layer.parameters(), { lr: 0.1 }).lr).toBe(0.1));
