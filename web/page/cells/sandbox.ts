import { readMessage, type CellMessage, type CellStart } from './messages.js';
import { partsOf } from './program.js';
import runtime from './runtime.ts?script';
// The copy that the page has in any case; the package exports none.
// eslint-disable-next-line no-restricted-imports
import { embeddedWasm } from '../../lib/runtime/embedded.js';

/** The document of the frame: plugins/policy.ts. */
declare const __CELL_FRAME__: string;

let wasm: Uint8Array<ArrayBuffer> | undefined;

/**
 * What a sandbox tells the page: a message of its worker, one that is none, or that the browser does not allow such a
 * worker.
 */
export type Told = CellMessage | 'garbled' | 'unavailable';

/**
 * Runs a cell's code in a worker inside a frame that has an origin of its own, and neither storage nor network. Frame
 * and worker fetch nothing: all that they need is sent to them. Returns a function that ends both.
 *
 * @throws ForeignImport where the code imports anything but the library.
 */
export function runInSandbox(code: string, tell: (told: Told) => void): () => void {
  const start: CellStart = { code: partsOf(code), wasm: (wasm ??= embeddedWasm()) };
  const [failed, messages] = [new MessageChannel(), new MessageChannel()];
  failed.port1.onmessage = () => tell('unavailable');
  messages.port1.onmessage = ({ data }) => tell(readMessage(data) ?? 'garbled');
  messages.port1.onmessageerror = () => tell('garbled');
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.srcdoc = __CELL_FRAME__;
  const ports = [failed.port2, messages.port2];
  // Any origin: the frame's own has no name.
  const begin = (): void => frame.contentWindow?.postMessage({ runtime, start }, '*', ports);
  frame.addEventListener('load', begin, { once: true });
  document.body.append(frame);
  return () => {
    frame.remove();
    failed.port1.close();
    messages.port1.close();
  };
}
