/** The globals that a cell may use: the language's own, and those of the platform that reach nothing outside. */
const ALLOWED = new Set(
  `AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date
  DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array
  Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp
  Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal TypeError URIError Uint16Array Uint32Array
  Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly decodeURI decodeURIComponent encodeURI encodeURIComponent
  escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape
  AbortController AbortSignal DOMException Event EventTarget Performance TextDecoder TextEncoder atob btoa clearInterval
  clearTimeout console crypto performance queueMicrotask self setInterval setTimeout structuredClone`.split(/\s+/),
);

/**
 * Removes everything by which code in this worker could reach network, storage, other workers or the page: all
 * properties of the global object and its prototypes except an allowlist, so that names that browsers add later are
 * removed as well.
 */
export function removeGlobals(scope: object): void {
  for (let holder = scope; holder !== EventTarget.prototype && holder !== Object.prototype;) {
    const next = Object.getPrototypeOf(holder) as object;
    for (const name of Object.getOwnPropertyNames(holder)) if (!ALLOWED.has(name)) remove(holder, name);
    holder = next;
  }
}

function remove(holder: object, name: string): void {
  if (Reflect.deleteProperty(holder, name)) return;
  Reflect.defineProperty(holder, name, { value: undefined, writable: false });
}
