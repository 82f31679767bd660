import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';

/** What a build contains of others, and its licence. */
export interface Notice {
  readonly name: string;
  readonly license: string;
}

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8').trim();

/** What every build contains that is not from npm. */
export const OTHERS: readonly Notice[] = [
  { name: 'Libraries in the wasm', license: read('../cpp/licenses.md') },
  { name: 'The language model stories260K (MIT)', license: read('elements/shared/story/stories260K/LICENSE') },
];

/** The folders of the packages that this process has bundled, those in workers and in scripts as text included. */
const bundled = new Set<string>();

/** Vite plugin: counts the packages in a bundle that becomes part of another, such as a worker. */
export function countPackages(): Plugin {
  return {
    name: 'wasm-attention-count-packages',
    generateBundle: (_options, bundle) => count(bundle),
  };
}

/** Vite plugin: writes the licences of all packages in the bundle, and of `others`, into a file. */
export function licenses(fileName: string, others: readonly Notice[]): Plugin {
  return {
    name: 'wasm-attention-licenses',
    generateBundle(_options, bundle) {
      count(bundle);
      this.emitFile({ type: 'asset', fileName, source: licensesText(others) });
    },
  };
}

/** The licences of all packages that this process has bundled, and of `others`. */
export function licensesText(others: readonly Notice[]): string {
  const packages = [...bundled].sort().map(noticeOf);
  const sections = [...packages, ...others].map(({ name, license }) => `## ${name}\n\n${license}\n`);
  return ['# Licences of bundled software\n', ...sections].join('\n');
}

function count(bundle: Rolldown.OutputBundle): void {
  for (const file of Object.values(bundle)) {
    for (const id of file.type === 'chunk' ? file.moduleIds : []) {
      const folder = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0];
      if (folder !== undefined && !id.startsWith('\0')) bundled.add(folder);
    }
  }
}

function noticeOf(folder: string): Notice {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Record<
    'name' | 'version' | 'license',
    string
  >;
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`licenses: expected a file with the licence of ${name}, found none`);
  return { name: `${name} ${version} (${license})`, license: readFileSync(`${folder}/${file}`, 'utf8').trim() };
}
