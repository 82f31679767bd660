import { MAX_CHARACTERS, readMessage, type CellMessage, type CellStart } from './messages.js';
import runtime from './runtime.ts?script';
import { ROOT } from '../root.js';
// The page loads this module anyway; the package does not export it.
import { embeddedWasm } from '../../lib/runtime/embedded.js';

/** The frame's document (plugins/policy.ts), as text and, unless the page is a single file, as a file. */
declare const __CELL_FRAME__: string;
declare const __CELL_FRAME_FILE__: string | undefined;

const NONE = "'none'";

let wasm: Uint8Array<ArrayBuffer> | undefined;
let frameFile: string | undefined;

/** What a sandbox reports: a message of its worker, an invalid one, or that the browser does not allow the worker. */
export type SandboxMessage = CellMessage | 'garbled' | 'unavailable';

/** What the frame reports of an error that the worker has not caught. */
interface Failure {
  readonly message?: unknown;
  readonly line?: unknown;
}

/**
 * Runs a cell's code in a worker inside a frame with an opaque origin, without storage or network. Frame and worker
 * fetch nothing: everything that they need is sent to them. Returns a function that ends both.
 */
export function runInSandbox(code: string, tell: (message: SandboxMessage) => void): () => void {
  const file = (frameFile ??= limitFrames());
  let end = runIn(undefined, code, (message) => {
    if (message !== 'unavailable' || file === NONE) {
      tell(message);
      return;
    }
    end();
    end = runIn(file, code, tell);
  });
  return () => end();
}

/**
 * The only file from which frames of the page may come from now on, or NONE.
 *
 * On a cross-origin isolated page, WebKit allows such a frame only workers and modules from data: URLs. The page's
 * policy, which a frame made of text inherits, forbids these. A frame from a file has a policy of its own.
 */
function limitFrames(): string {
  const file = crossOriginIsolated && __CELL_FRAME_FILE__ ? new URL(__CELL_FRAME_FILE__, ROOT).href : NONE;
  const meta = document.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  // Otherwise a frame could request any file of this host.
  meta.content = `frame-src ${file}`;
  document.head.append(meta);
  return file;
}

/** Runs the code in a frame made of text, or from a file with workers and modules from data: URLs. */
function runIn(file: string | undefined, code: string, tell: (message: SandboxMessage) => void): () => void {
  const start: CellStart = { code, wasm: (wasm ??= embeddedWasm()) };
  const [failed, messages] = [new MessageChannel(), new MessageChannel()];
  let started = false;
  failed.port1.onmessage = ({ data }: MessageEvent<Failure>) => {
    if (!started) {
      tell('unavailable');
      return;
    }
    const message = String(data.message).slice(0, MAX_CHARACTERS);
    tell(readMessage({ type: 'failed', name: '', message, line: data.line }) ?? 'garbled');
  };
  messages.port1.onmessage = ({ data }) => {
    started = true;
    tell(readMessage(data) ?? 'garbled');
  };
  messages.port1.onmessageerror = () => tell('garbled');
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.setAttribute('sandbox', 'allow-scripts');
  if (file === undefined) frame.srcdoc = __CELL_FRAME__;
  else frame.src = file;
  const ports = [failed.port2, messages.port2];
  // Any target: the frame's origin is opaque.
  const begin = (): void =>
    frame.contentWindow?.postMessage({ runtime, start, asData: file !== undefined }, '*', ports);
  frame.addEventListener('load', begin, { once: true });
  document.body.append(frame);
  return () => {
    frame.remove();
    failed.port1.close();
    messages.port1.close();
  };
}
