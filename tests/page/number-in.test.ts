import { expect, test } from '@jest/globals';
import { numberIn } from '../../web/page/number-in.js';

test.each([
  ['33', 33],
  [' 33 ', 33],
  ['+33', 33],
  ['33.', 33],
  ['0.39', 0.39],
  ['0,39', 0.39],
  ['.39', 0.39],
  [',39', 0.39],
  ['-2', -2],
  ['−2', -2],
  ['33', 33],
  ['000033', 33],
])('%j is a number', (written, number) => {
  expect(numberIn(written)).toBe(number);
});

test.each([
  '',
  ' ',
  '.',
  ',',
  '-',
  'NaN',
  'Infinity',
  '1e999',
  '1e3',
  '0x21',
  '33n',
  '3 3',
  '1,000,000',
  '1.000,5',
  '--3',
  'thirty-three',
  '<b>33</b>',
  '<img src=x onerror=alert(1)>',
  '33\u0000',
  '٣٣',
  '9'.repeat(16),
  '3'.repeat(1_000_000),
])('%.40j is none', (written) => {
  expect(numberIn(written)).toBeUndefined();
});
