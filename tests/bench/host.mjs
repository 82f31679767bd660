/** Where the measuring code runs: a process of Node's, or a worker of a page. Everything that the two do differently. */
export const inBrowser = globalThis.process?.versions?.node === undefined;

/**
 * `engine` is its version, `read(url)` gives a file's bytes, `usage()` the milliseconds that all of the process's threads have computed (undefined in a
 * browser), `serve(handle)` answers the one task that is sent, `progress(text)` says what is being done. `libraries` imports the
 * peers as a user there would.
 */
export const { engine, read, usage, serve, progress, libraries } = await import(
  inBrowser ? './hosts/browser.mjs' : './hosts/node.mjs'
);

/** @param {URL} url */
export async function readJson(url) {
  return JSON.parse(new TextDecoder().decode(await read(url)));
}
