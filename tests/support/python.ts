/** Python, with PyTorch where there is one. */
import { spawnSync } from 'node:child_process';

/** A Python that has torch: the one of the path, or Debian's own behind it. */
export function pythonWithTorch(): string | undefined {
  const find = 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)';
  return ['python3', '/usr/bin/python3'].find((python) => spawnSync(python, ['-c', find]).status === 0);
}

/** Runs each script by itself in one Python, and returns what each prints; says which one fails. */
const RUN = `
import contextlib, io, json, sys, traceback
import torch
torch.set_num_threads(1)
torch.set_printoptions(precision=9, threshold=1 << 30, linewidth=1 << 20, sci_mode=False)
printed = []
for number, script in enumerate(json.load(sys.stdin)):
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(script, f"script {number}", "exec"), {"__name__": "__main__"})
    except BaseException:
        out.write(traceback.format_exc())
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
`;

/** Parses each script, and returns for each an empty text, or what is wrong with it. */
const PARSE = `
import ast, json, sys
wrong = []
for script in json.load(sys.stdin):
    try:
        ast.parse(script)
        wrong.append("")
    except SyntaxError as error:
        wrong.append(str(error))
json.dump(wrong, sys.stdout)
`;

function ask(python: string, program: string, scripts: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync(python, ['-c', program], {
    input: JSON.stringify(scripts),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    timeout: 100_000,
  });
  if (status !== 0) throw new Error(`${python} failed: ${stderr}`);
  return JSON.parse(stdout) as string[];
}

/** What each of the scripts prints with PyTorch, tensors with all their digits; a traceback where it fails. */
export function runScripts(python: string, scripts: readonly string[]): string[] {
  return ask(python, RUN, scripts);
}

/** What is wrong with the grammar of each of the scripts; an empty text where nothing is. */
export function parseScripts(scripts: readonly string[]): string[] {
  return ask('python3', PARSE, scripts);
}
