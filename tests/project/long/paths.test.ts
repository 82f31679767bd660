/** The build works in a folder with any name that CMake can use: all but `;`, `"` and brackets. */
import { expect, test } from '@jest/globals';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { output, ROOT, temporaryFolder } from '../../package/support.js';

test('a wasm is built in a folder with spaces, parentheses, quotes and letters of other scripts', () => {
  const { path, remove } = temporaryFolder();
  try {
    const folder = join(path, "wasm-attention (1) d'été 注意 $HOME");
    const parts = ['cpp', 'scripts', 'web/lib', 'web/elements', 'CMakeLists.txt', 'CMakePresets.json'];
    for (const part of [...parts, 'package.json', 'package-lock.json']) {
      cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: (file) => !file.includes('generated') });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    output('bash', ['scripts/build.sh', 'sources'], { cwd: folder });
    expect(existsSync(join(folder, 'build/wasm/wasm-attention.wasm'))).toBe(true);
    expect(existsSync(join(folder, 'web/lib/generated/bindings/raw.ts'))).toBe(true);
  } finally {
    remove();
  }
});
