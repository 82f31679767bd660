/** Folders that a browser hands over: the files of an input, a drop, or a handle. */
import { wrongValue } from '../../check/values.js';
import type { WebDirectory, WebDrop } from '../../runtime/hostTypes.js';
import { OPERATION, unreadable, type Folder } from './folder.js';

export type AnyFile = Blob & { readonly name: string; readonly webkitRelativePath?: string };

/** A file with its path. */
interface Listed {
  readonly path: string;
  readonly open: () => Promise<AnyFile>;
}

/** The longest common folder of the files' paths. Files without paths are all in it. */
export function filesFolder(files: readonly AnyFile[]): Folder {
  return listedFolder(
    Promise.resolve(files.map((file) => ({ path: pathOf(file), open: () => Promise.resolve(file) }))),
  );
}

function pathOf({ webkitRelativePath: path, name }: AnyFile): string {
  return path === undefined || path === '' ? name : path;
}

/** What was dropped. A drop is empty after its event, so this is called in it. */
export function dropFolder(drop: WebDrop): Folder {
  const { items } = drop;
  const listed = [...items].map((item): Promise<Listed[]> => {
    const entry = item.webkitGetAsEntry?.();
    if (entry) return listedIn(entry);
    const file = item.getAsFile();
    return Promise.resolve(file ? [{ path: file.name, open: () => Promise.resolve(file) }] : []);
  });
  return listedFolder(Promise.all(listed).then((lists) => lists.flat()));
}

/** The files in a dropped folder and its subfolders. */
async function listedIn(entry: FileSystemEntry): Promise<Listed[]> {
  const path = entry.fullPath.replace(/^\//, '');
  if (entry.isFile) {
    return [
      { path, open: () => new Promise<File>((found, failed) => (entry as FileSystemFileEntry).file(found, failed)) },
    ];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const listed: Listed[] = [];
  // Entries come in batches, the last of which is empty.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((found, failed) => reader.readEntries(found, failed)).catch(
      (cause: unknown) => unreadable(path, cause),
    );
    if (batch.length === 0) return listed;
    for (const each of batch) {
      // A clone's .git has thousands of files.
      if (!each.name.startsWith('.')) listed.push(...(await listedIn(each)));
    }
  }
}

function listedFolder(listing: Promise<readonly Listed[]>): Folder {
  // It is awaited when the first file is asked for.
  listing.catch(() => undefined);
  const below = listing.then((files) => {
    const [first = [], ...others] = files.map(({ path }) => path.split('/').slice(0, -1));
    const end = first.findIndex((name, i) => others.some((folders) => folders[i] !== name));
    const top = (end < 0 ? first : first.slice(0, end)).map((name) => `${name}/`).join('');
    return files.map(({ path, open }) => ({ path: path.slice(top.length), open }));
  });
  below.catch(() => undefined);
  return {
    names: async () => (await below).map(({ path }) => path).filter((path) => !path.includes('/')),
    ...opening(async (path) => {
      const found = (await below).filter((each) => each.path === path);
      if (found.length > 1) wrongValue(OPERATION, `one ${path}`, `${found.length} files of this name`);
      return found[0]?.open().catch((cause: unknown) => unreadable(path, cause));
    }),
  };
}

export function handleFolder(handle: WebDirectory): Folder {
  const names = async (): Promise<string[]> => {
    const found = [];
    for await (const name of (handle as unknown as { keys(): AsyncIterable<string> }).keys()) found.push(name);
    return found;
  };
  return {
    names,
    ...opening(async (path) => {
      const folders = path.split('/');
      const name = folders.pop()!;
      try {
        let folder = handle;
        for (const each of folders) folder = await folder.getDirectoryHandle(each);
        return await (await folder.getFileHandle(name)).getFile();
      } catch (cause) {
        const isNone = ['NotFoundError', 'TypeMismatchError'].includes((cause as Error).name);
        return isNone ? undefined : unreadable(path, cause);
      }
    }),
  };
}

function opening(file: (path: string) => Promise<AnyFile | undefined>): Pick<Folder, 'file' | 'text'> {
  return {
    file,
    text: async (path) => (await file(path))?.text().catch((cause: unknown) => unreadable(path, cause)),
  };
}
