import { readMessage, type CellMessage, type CellStart } from './messages.js';
import runtime from './runtime.ts?script';
// The page loads this module anyway; the package does not export it.
import { embeddedWasm } from '../../lib/runtime/embedded.js';

/** The frame's document: plugins/policy.ts. */
declare const __CELL_FRAME__: string;

let wasm: Uint8Array<ArrayBuffer> | undefined;

/** What a sandbox reports: a message of its worker, an invalid one, or that the browser does not allow the worker. */
export type SandboxMessage = CellMessage | 'garbled' | 'unavailable';

/**
 * Runs a cell's code in a worker inside a frame with an opaque origin, without storage or network. Frame and worker
 * fetch nothing: everything that they need is sent to them. Returns a function that ends both.
 */
export function runInSandbox(code: string, tell: (message: SandboxMessage) => void): () => void {
  const start: CellStart = { code, wasm: (wasm ??= embeddedWasm()) };
  const [failed, messages] = [new MessageChannel(), new MessageChannel()];
  failed.port1.onmessage = () => tell('unavailable');
  messages.port1.onmessage = ({ data }) => tell(readMessage(data) ?? 'garbled');
  messages.port1.onmessageerror = () => tell('garbled');
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.srcdoc = __CELL_FRAME__;
  const ports = [failed.port2, messages.port2];
  // Any target: the frame's origin is opaque.
  const begin = (): void => frame.contentWindow?.postMessage({ runtime, start }, '*', ports);
  frame.addEventListener('load', begin, { once: true });
  document.body.append(frame);
  return () => {
    frame.remove();
    failed.port1.close();
    messages.port1.close();
  };
}
