// All that runs in a cell's frame (../plugins/policy.ts): it starts the worker. The page's policy allows this text by
// its hash.
addEventListener('message', ({ data: { runtime, start }, ports: [failed, messages] }) => {
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([runtime], { type: 'text/javascript' })));
    worker.addEventListener('error', () => failed.postMessage(null));
    worker.postMessage(start, [messages]);
  } catch {
    failed.postMessage(null);
  }
});
