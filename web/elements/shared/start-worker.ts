/**
 * Starts a module worker from a script that may have another origin, such as a CDN's. Browsers refuse such a worker,
 * but not a script of the page's own that imports it. If the page has a content security policy, it must allow `blob:`
 * and that origin in worker-src. Throws if there are no workers.
 */
export function startWorker(script: URL): Worker {
  if (script.origin === location.origin) return new Worker(script, { type: 'module' });
  return fromText(`import ${JSON.stringify(script.href)};`, 'module');
}

/** Starts a worker of which the page has the script as text; a classic one, since pages from a disk get no others. */
export function startWorkerText(script: string): Worker {
  return fromText(script, 'classic');
}

function fromText(script: string, type: WorkerType): Worker {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const worker = new Worker(url, { type });
  // Only what runs can answer; before that the browser may still be about to read it.
  worker.addEventListener('message', () => URL.revokeObjectURL(url), { once: true });
  return worker;
}
