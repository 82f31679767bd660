import fc from 'fast-check';

/**
 * Arbitrary queries and fragments of URLs: well-formed or not, with these parameters, whose values contain these
 * settings.
 */
export function addressTails(parameters: readonly string[], settings: readonly string[]): fc.Arbitrary<string> {
  const nasty = fc.constantFrom(
    '%',
    '%%',
    '%2',
    '%zz',
    '%00',
    '%C3',
    '%ED%A0%80',
    '%F0%9F',
    '+',
    '&',
    '=',
    '?',
    '#',
    '\\',
    '//',
    '<b>',
    "'",
    '"',
    '..',
    '\u2028',
    '\ud800',
    '💥',
    'NaN',
    '-0',
    '1e400',
    '1e9',
    '-1',
    '0x10',
    '٣',
    '99999px',
    '-5%',
    '12.5px',
    '1e3px',
    'null',
    'javascript:0',
    '9 '.repeat(500),
    '%25'.repeat(500),
  );
  const text = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 12 }), fc.double().map(String));
  const names = fc.oneof(fc.constantFrom(...settings, '__proto__', 'constructor'), text);
  const pair = fc.tuple(names, text).map(([name, value]) => `${name}=${value}`);
  const list = fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join('&'));
  const value = fc.oneof(
    text,
    list,
    list.map((all) => new URLSearchParams({ v: all }).toString().slice(2)),
  );
  const key = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...parameters) }, { weight: 1, arbitrary: text });
  const search = fc
    .array(fc.tuple(key, value), { maxLength: 4 })
    .map((all) => all.map(([name, value]) => `${name}=${value}`).join('&'));
  const hash = fc.oneof(fc.constantFrom('', 'text', 'fig-masks', 'eq-rotary', 'fig-%6dasks'), text);
  return fc.tuple(search, hash).map(([search, hash]) => `?${search}#${hash}`);
}
