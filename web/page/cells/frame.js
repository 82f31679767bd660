// The script of a cell's frame (../plugins/policy.ts): starts the worker. The page's policy allows it by its hash.
addEventListener('message', ({ data: { runtime, start }, ports: [failed, messages] }) => {
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([runtime], { type: 'text/javascript' })));
    worker.addEventListener('error', () => failed.postMessage(null));
    worker.postMessage(start, [messages]);
  } catch {
    failed.postMessage(null);
  }
});
