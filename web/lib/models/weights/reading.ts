/** Reads tensors one after another, and places them at once. */
import { fresh } from '../../runtime/memory.js';
import { OPERATION } from '../config/architecture.js';
import { sameBytes, type Place, type Tensors } from '../files.js';
import { GAP_BYTES, PIECE_BYTES, unlessAborted } from './source.js';
import type { Job } from './store.js';

export interface ReadingOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes read so far, and of all that will be read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Tensors that have to be in memory together, and what is placed then. */
interface Group {
  readonly names: Set<string>;
  readonly jobs: Job[];
}

/** A tensor to read. */
interface Step extends Place {
  readonly name: string;
  readonly group: Group;
  /** Where the reads of this file end that follow one after another. */
  until: number;
}

/**
 * Reads the tensors of all jobs.
 *
 * @param separate makes the jobs of the second of the tensors' twins if it has bytes of its own; those among `jobs` are
 *   then the first one's
 */
export async function readTensors(
  tensors: Tensors,
  jobs: readonly Job[],
  separate: () => readonly Job[],
  { signal, onProgress }: ReadingOptions,
): Promise<void> {
  const { twins } = tensors;
  const groups = groupsOf(jobs);
  const twinGroup = twins && groups.find(({ names }) => names.has(twins[1]));
  twins?.forEach((name) => twinGroup?.names.add(name));
  const steps = stepsOf(tensors, groups, twinGroup);
  const total = steps.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  const proceed = (bytes: number): void => {
    done += bytes;
    onProgress?.(done, total);
  };
  const room = new Room(bytesOfTwo(steps));

  /** Reads a tensor piece by piece to where `take` says. */
  const read = async (
    { source, ranges, until }: Step,
    take: (at: number, count: number) => Uint8Array,
    use?: (piece: Uint8Array, at: number) => void,
  ): Promise<void> => {
    let at = 0;
    for (const { begin, end } of ranges) {
      for (let from = begin; from < end; from += PIECE_BYTES) {
        signal?.throwIfAborted();
        const piece = take(at, Math.min(PIECE_BYTES, end - from));
        await unlessAborted(signal, source.read(piece, from, ranges.length === 1 ? until : end));
        use?.(piece, at);
        at += piece.length;
        proceed(piece.length);
      }
    }
  };

  /** Reads the twin that comes second into the place of the first, whose bytes these may be. */
  const readTwin = async (step: Step, first: string, bytes: Uint8Array): Promise<void> => {
    const [head, embedding] = twins!;
    const scratch = new Uint8Array(PIECE_BYTES);
    let own: readonly Job[] | undefined;
    const place = (twin: string): void => {
      // All jobs read the embedding.
      tensors.hold(embedding, bytes, twin);
      for (const job of own && twin === embedding ? own : twinGroup!.jobs) job.place();
    };
    await read(
      step,
      (at, count) => (own ? bytes.subarray(at, at + count) : scratch.subarray(0, count)),
      (piece, at) => {
        if (own || sameBytes(piece, bytes.subarray(at, at + piece.length))) return;
        own = separate();
        place(first);
        bytes.set(piece, at);
      },
    );
    place(own ? step.name : head);
  };

  const held = new Map<string, Uint8Array>();
  const left = new Map(groups.map((group) => [group, group.names.size]));
  for (const step of steps) {
    const { name, group, size, isInMemory } = step;
    signal?.throwIfAborted();
    const first = group === twinGroup ? [...group.names].find((other) => held.has(other)) : undefined;
    if (first !== undefined) {
      await readTwin(step, first, held.get(first)!);
    } else if (isInMemory) {
      proceed(size);
    } else {
      const bytes = room.take(size);
      held.set(name, bytes);
      await read(step, (at, count) => bytes.subarray(at, at + count));
      tensors.hold(name, bytes);
    }
    left.set(group, left.get(group)! - 1);
    if (left.get(group)! > 0) continue;
    if (group !== twinGroup) for (const job of group.jobs) job.place();
    for (const each of group.names) {
      const bytes = held.get(each);
      if (!bytes) continue;
      tensors.drop(each);
      room.give(bytes);
      held.delete(each);
    }
  }
}

/** Jobs that share a tensor are in one group. */
function groupsOf(jobs: readonly Job[]): Group[] {
  const groupOf = new Map<string, Group>();
  for (const job of jobs) {
    const joined = new Set(job.tensors.flatMap((name) => groupOf.get(name) ?? []));
    const names = new Set([...joined].flatMap((group) => [...group.names]).concat(job.tensors));
    const group = { names, jobs: [...joined].flatMap((each) => each.jobs).concat(job) };
    for (const name of names) groupOf.set(name, group);
  }
  return [...new Set(groupOf.values())];
}

/**
 * All tensors, in the order in which they are read: group by group, but those that a server sends in the order of their
 * file. A group that is spread over several files comes first, so that no part of it waits in memory.
 */
function stepsOf(tensors: Tensors, groups: readonly Group[], twins: Group | undefined): Step[] {
  const apart: Step[] = [];
  const along: Step[] = [];
  for (const group of groups) {
    const steps = [...group.names].map((name) => ({ ...tensors.placeOf(name), name, group, until: 0 }));
    // Of twins, the one that is read comes first.
    steps.sort((a, b) => Number(a.isInMemory) - Number(b.isInMemory));
    const sources = new Set(steps.map(({ source }) => source));
    const isOne = sources.size === 1 && group !== twins && steps[0]!.source.isSequential;
    (isOne || [...sources].some(({ isForward }) => isForward) ? along : apart).push(...steps);
  }
  const files = [...new Set(along.map(({ source }) => source))];
  const key = (step: Step): number => (step.isInMemory ? files.length : files.indexOf(step.source));
  along.sort((a, b) => key(a) - key(b) || a.ranges[0]!.begin - b.ranges[0]!.begin);
  const steps = [...apart, ...along];
  for (let i = steps.length - 1; i >= 0; --i) {
    const step = steps[i]!;
    const next = steps[i + 1];
    const end = step.ranges.at(-1)!.end;
    const gap = next?.source === step.source ? next.ranges[0]!.begin - end : -1;
    step.until = gap >= 0 && gap <= GAP_BYTES ? next!.until : end;
  }
  return steps;
}

/** The bytes of the two largest groups: while one is read, another may wait for a part of it. */
function bytesOfTwo(steps: readonly Step[]): number {
  const sizes = new Map<Group, number>();
  for (const { group, size, isInMemory } of steps) {
    if (!isInMemory) sizes.set(group, (sizes.get(group) ?? 0) + ALIGNMENT * Math.ceil(size / ALIGNMENT));
  }
  const [most = 0, second = 0] = [...sizes.values()].sort((a, b) => b - a);
  return most + second;
}

const ALIGNMENT = 8;

/** Memory that is used again for one tensor after another. Systems give it only as it is used. */
class Room {
  readonly #whole: Uint8Array;
  readonly #taken: { readonly bytes: Uint8Array; isFree: boolean }[] = [];

  constructor(size: number) {
    this.#whole = fresh(OPERATION, Uint8Array, size);
  }

  take(size: number): Uint8Array {
    const last = this.#taken.at(-1)?.bytes;
    const begin = last ? ALIGNMENT * Math.ceil((last.byteOffset + last.length) / ALIGNMENT) : 0;
    // Where a file's order leaves no room.
    if (begin + size > this.#whole.length) return fresh(OPERATION, Uint8Array, size);
    const bytes = this.#whole.subarray(begin, begin + size);
    this.#taken.push({ bytes, isFree: false });
    return bytes;
  }

  give(bytes: Uint8Array): void {
    const found = this.#taken.find((each) => each.bytes === bytes);
    if (found) found.isFree = true;
    while (this.#taken.at(-1)?.isFree) this.#taken.pop();
  }
}
