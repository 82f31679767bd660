// The script of a cell's frame (../plugins/policy.ts): starts the worker. The frame's policy allows it by its hash.
addEventListener('message', ({ data: { runtime, start, asData }, ports: [failed, messages] }) => {
  try {
    const address = asData
      ? `data:text/javascript,${encodeURIComponent(runtime)}`
      : URL.createObjectURL(new Blob([runtime], { type: 'text/javascript' }));
    const worker = new Worker(address);
    // What the worker itself does not catch. The line is one of the reader's unless it is the runtime's.
    worker.addEventListener('error', ({ message, filename, lineno }) =>
      failed.postMessage({ message, line: filename === address ? undefined : lineno }),
    );
    worker.postMessage(start, [messages]);
  } catch {
    failed.postMessage({});
  }
});
