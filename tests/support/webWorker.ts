import { Worker as NodeWorker } from 'node:worker_threads';

/** A worker of Node with the interface of a browser's, added to `started`; `spy` receives the messages to it. */
export function webWorker(started: NodeWorker[], spy: (message: unknown) => void = () => undefined): Worker {
  const worker = new NodeWorker(new URL(import.meta.resolve('wasm-attention/worker-thread')));
  started.push(worker);
  const face = {
    onmessage: (_event: { data: unknown }) => undefined,
    onerror: (_event: { message: string; preventDefault: () => void }) => undefined,
    postMessage: (message: unknown, transfer: ArrayBuffer[]) => {
      spy(message);
      worker.postMessage(message, transfer);
    },
    terminate: () => void worker.terminate(),
  };
  worker.on('message', (data: unknown) => face.onmessage({ data }));
  worker.on('error', ({ message }: Error) => face.onerror({ message, preventDefault: () => undefined }));
  return face as unknown as Worker;
}
