/** The build works in a folder with any name that CMake can use: all but `;`, `"` and brackets. */
import { expect, test } from '@jest/globals';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { output, ROOT, temporaryFolder } from '../../package/support.js';

test('a wasm is built in a folder with spaces, parentheses, quotes and letters of other scripts', () => {
  const { path, remove } = temporaryFolder();
  try {
    const folder = join(path, "wasm-attention (1) d'été 注意 $HOME");
    const files = output('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']).split('\0');
    for (const file of files) {
      if (!/^(cpp|scripts|web\/(lib|elements)|CMake|package)/.test(file)) continue;
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(ROOT, file), join(folder, file));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    output('bash', ['scripts/build.sh', 'sources'], { cwd: folder });
    expect(existsSync(join(folder, 'build/wasm/wasm-attention.wasm'))).toBe(true);
    expect(existsSync(join(folder, 'web/lib/generated/bindings/raw.ts'))).toBe(true);
  } finally {
    remove();
  }
});
