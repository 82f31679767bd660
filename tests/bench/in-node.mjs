/** Measures in fresh Node processes. */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Node 20 needs a flag for relaxed SIMD, later versions do not. */
function flagsFor({ relaxed }) {
  const wasm = relaxed && readFileSync(new URL('../../dist/wasm-attention-relaxed.wasm', import.meta.url));
  return wasm && !WebAssembly.validate(wasm) ? ['--experimental-wasm-relaxed-simd'] : [];
}

/** Runs one task in a fresh process. Whatever the libraries print goes to stderr. */
function measure(task, progressed) {
  return new Promise((resolve) => {
    const child = fork(new URL('measure.mjs', import.meta.url), {
      execArgv: ['--expose-gc', ...flagsFor(task)],
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    child.on('message', ({ progress, result }) => {
      if (progress) progressed(progress);
      if (result) resolve(result);
    });
    child.on('exit', (code, signal) => resolve({ name: task.name, failed: `its process ended: ${signal ?? code}` }));
    child.send(task);
  });
}

export function inNode() {
  const { node, v8 } = process.versions;
  return { engine: `Node v${node} (V8 ${v8})`, measure, close: () => undefined };
}
