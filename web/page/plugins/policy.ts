/** Content security policies: of the page, and of the frame in which the page runs code cells. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const frameScript = readFileSync(new URL('../cells/frame.js', import.meta.url), 'utf8');

/**
 * What a page may do. Scripts come from this origin and may compile WebAssembly, not strings; styles come from style
 * sheets; nothing comes from other origins. With `cells` the page may also run code cells. With `hashes` it loads no
 * files, and only the inline script and style with these hashes are allowed.
 */
export function securityPolicy({ cells = false, hashes }: PolicyOptions = {}): string {
  const self = hashes === undefined ? "'self' " : '';
  const script = hashes?.script ?? "'self'";
  return [
    "default-src 'none'",
    `script-src ${script} 'wasm-unsafe-eval'`,
    // A cell's frame and worker are made from text. They inherit this policy and have a stricter one in addition.
    ...(cells ? [`script-src-elem ${script} blob: ${hashOf(frameScript)}`] : []),
    // Or, in WebKit, the frame comes from a file.
    ...(cells && hashes === undefined ? ["frame-src 'self'"] : []),
    `worker-src ${self}blob:`,
    `style-src ${hashes?.style ?? "'self'"}`,
    `img-src ${self}data:`,
    // Small fonts are inline in the style sheet.
    `font-src ${self}data:`,
    ...(hashes === undefined ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

interface PolicyOptions {
  readonly cells?: boolean;
  readonly hashes?: { readonly script: string; readonly style: string };
}

/**
 * The document of a cell's frame, whose script starts the worker (../cells/sandbox.ts). Workers and their modules are
 * made from text, with URLs of one kind. None of them has a network.
 */
export function cellFrame(kind: 'blob:' | 'data:'): string {
  const policy = `default-src 'none'; script-src ${kind} 'wasm-unsafe-eval' ${hashOf(frameScript)}; worker-src ${kind}`;
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><script>${frameScript}</script>`;
}

/** The source expression of an inline script or style. */
export function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
