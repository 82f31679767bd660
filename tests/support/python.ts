/** Runs Python, with PyTorch if it is installed. */
import { spawnSync } from 'node:child_process';

/** A Python that has torch: the first on the path, or Debian's. */
export function pythonWithTorch(): string | undefined {
  const find = 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)';
  return ['python3', '/usr/bin/python3'].find((python) => spawnSync(python, ['-c', find]).status === 0);
}

/** Runs each script separately in one Python process and returns what it prints, or its traceback. */
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

/** Parses each script and returns its syntax error, or an empty text. */
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

/** What each script prints with PyTorch, tensors with all their digits; a traceback if it fails. */
export function runScripts(python: string, scripts: readonly string[]): string[] {
  return ask(python, RUN, scripts);
}

/** The syntax error of each script; an empty text if there is none. */
export function parseScripts(scripts: readonly string[]): string[] {
  return ask('python3', PARSE, scripts);
}
