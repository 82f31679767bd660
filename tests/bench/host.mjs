/** Everything that differs between the hosts of the measuring code: a Node process and a worker of a page. */
export const inBrowser = globalThis.process?.versions?.node === undefined;

/**
 * `engine`: the engine's name and version.
 * `read(url)`: a file's bytes.
 * `usage()`: milliseconds of processor time that all threads of the process have used; undefined in a browser.
 * `serve(handle)`: calls `handle` with the one task that is sent, and sends its result back.
 * `progress(text)`: reports what is being done.
 * `libraries`: imports each peer the way its users do there.
 */
export const { engine, read, usage, serve, progress, libraries } = await import(
  inBrowser ? './hosts/browser.mjs' : './hosts/node.mjs'
);

/** @param {URL} url */
export async function readJson(url) {
  return JSON.parse(new TextDecoder().decode(await read(url)));
}
