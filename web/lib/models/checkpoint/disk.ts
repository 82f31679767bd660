/** A folder on the disk of a program of Node, Bun or Deno. */
import { wrongKind } from '../../check/values.js';
import { OwnFile, unreadable as broken, wrongSize, type Source } from '../weights/source.js';
import { OPERATION, unreadable, type Folder } from './folder.js';

type Files = typeof import('node:fs/promises');
type FileHandle = Awaited<ReturnType<Files['open']>>;

/** Node's module, without an import that bundlers would try to resolve. */
export const nodeFiles = (): Files | undefined => globalThis.process?.getBuiltinModule?.('node:fs/promises');

/** The folder at a path or a `file:` URL. */
export function diskFolder(at: string | URL, fs: Files): Folder {
  const folder = typeof at === 'string' ? at : globalThis.process.getBuiltinModule('node:url').fileURLToPath(at);
  const orNone = (path: string) => (cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    if (cause.code === 'ENOTDIR') wrongKind(OPERATION, 'a folder', folder);
    return unreadable(path, cause);
  };
  return {
    names: () =>
      fs.readdir(folder).then(
        (names) => names,
        () => [],
      ),
    text: async (path) => {
      const bytes = await fs.readFile(`${folder}/${path}`).catch(orNone(path));
      // Without a byte order mark.
      return bytes && new TextDecoder().decode(bytes);
    },
    file: async (path) => {
      const full = `${folder}/${path}`;
      const facts = await fs.stat(full).catch(orNone(path));
      return facts?.isFile() ? new DiskFile(path.replace(/.*\//, ''), facts.size, full, fs) : undefined;
    },
  };
}

class DiskFile extends OwnFile {
  readonly #path: string;
  readonly #fs: Files;

  constructor(name: string, size: number, path: string, fs: Files) {
    super(name, size);
    this.#path = path;
    this.#fs = fs;
  }

  async #open(): Promise<FileHandle> {
    const unreadable = (cause: unknown): never => broken(this.name, cause);
    const handle = await this.#fs.open(this.#path).catch(unreadable);
    const { size } = await handle.stat().catch(unreadable);
    if (size === this.size) return handle;
    await handle.close();
    return wrongSize(this.name, this.size, size);
  }

  open(): Source {
    const { name, size } = this;
    let opening: Promise<FileHandle> | undefined;
    return {
      name,
      size,
      read: async (target, start) => {
        opening ??= this.#open();
        const handle = await opening;
        for (let at = 0; at < target.length;) {
          const { bytesRead } = await handle
            .read(target, at, target.length - at, start + at)
            .catch((cause: unknown) => broken(name, cause));
          if (bytesRead === 0) wrongSize(name, size, start + at);
          at += bytesRead;
        }
      },
      close: () => {
        opening?.then((handle) => handle.close()).catch(() => undefined);
        opening = undefined;
      },
    };
  }
}
