/** A file of more than 200 lines says in its first comment why it is not split. */
import { readdirSync } from 'node:fs';
import { ROOT, read } from '../package/support.js';

const LIMIT = 200;
const SOURCE = /\.(?:cpp|h|ts|mjs|css|sh)$/;
/** What is installed or generated. */
const MADE = /(?:^|\/)(?:node_modules|build|dist|generated)$|\/reserved\.css$/;

/** The sources in a folder and those in it, by their paths from the root. */
function sourcesIn(folder: string): string[] {
  return readdirSync(`${ROOT}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (MADE.test(path)) return [];
    if (entry.isDirectory()) return sourcesIn(path);
    return SOURCE.test(path) ? [path] : [];
  });
}

/** The first comment of a file, on one line; empty if there is none. */
function firstComment(file: string, text: string): string {
  const comment = file.endsWith('.sh') ? /(?:^#(?!!).*\n?)+/m : /\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/m;
  const lines = (comment.exec(text)?.[0] ?? '').split('\n');
  return lines.map((line) => line.replace(/^\s*(?:\/\*+|\*+|\/\/+|#+)/, '').trim()).join(' ');
}

function isTooLong(file: string, text: string): boolean {
  const lines = text.split('\n').length - 1;
  return lines > LIMIT && !/\b(?:file|it) is (?:a little )?long(?:er)?\b/i.test(firstComment(file, text));
}

test.each([
  ['a.ts', '/** What it is. */\n', true],
  ['a.ts', 'import "b";\n/*\n * This file is a\n * little longer than 200 lines, because of c.\n */\n', false],
  ['a.ts', '/** What it is. */\n/* This file is long because of b. */\n', true],
  ['a.ts', '/** Work for far longer than a test may take. */\n', true],
  ['a.cpp', '// What\n// this is. It is\n// long because of b.\n', false],
  ['a.sh', '#!/bin/bash\n# What this is.\n\n# It is long because of b.\n', true],
  ['a.sh', '#!/bin/bash\n# It is long because of b.\n', false],
  ['a.css', '', true],
])('only a long file without a reason is found: %s, %j', (file, start, found) => {
  expect(isTooLong(file, `${start}${'\n'.repeat(LIMIT + 1)}`)).toBe(found);
  expect(isTooLong(file, start)).toBe(false);
});

test('every long file says why it is long', () => {
  const files = ['cpp', 'web', 'scripts', 'tests'].flatMap(sourcesIn);
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => isTooLong(file, read(file)))).toEqual([]);
});
