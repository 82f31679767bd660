/** Reads tensors one after another, and places them at once. */
import { fresh } from '../../runtime/memory.js';
import { OPERATION } from '../config/architecture.js';
import { sameBytes, type Place, type Tensors } from '../files.js';
import { GAP_BYTES, PIECE_BYTES, unlessAborted, type Source } from './source.js';
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
  readonly ranges: readonly Range[];
}

/** Reads a tensor, or ahead of it its scales. */
interface Read {
  readonly step: Step;
  readonly range: Range;
}

/** Bytes of a file. */
interface Range {
  readonly source: Source;
  readonly begin: number;
  readonly end: number;
  /** Where the reads of this file end that follow one after another. */
  until: number;
  /** The bytes, if they have been read ahead. */
  bytes?: Uint8Array;
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
  const reads = readsOf(tensors, groups, twinGroup);
  const steps = reads.flatMap(({ step, range }) => (range === step.ranges[0] ? step : []));
  const total = steps.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  const proceed = (bytes: number): void => {
    done += bytes;
    onProgress?.(done, total);
  };
  const room = new Room(bytesOfTwo(steps));

  /** Reads a tensor piece by piece to where `take` says. */
  const read = async (
    ranges: readonly Range[],
    take: (at: number, count: number) => Uint8Array,
    use?: (piece: Uint8Array, at: number) => void,
  ): Promise<void> => {
    let at = 0;
    for (const range of ranges) {
      const { source, begin, end, until, bytes } = range;
      for (let from = begin; from < end; from += PIECE_BYTES) {
        signal?.throwIfAborted();
        const piece = take(at, Math.min(PIECE_BYTES, end - from));
        if (bytes) {
          piece.set(bytes.subarray(from - begin, from - begin + piece.length));
        } else {
          await unlessAborted(signal, source.read(piece, from, until));
          proceed(piece.length);
        }
        use?.(piece, at);
        at += piece.length;
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
      step.ranges,
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
  for (const { step, range } of reads) {
    const { name, group, ranges, size, isInMemory } = step;
    signal?.throwIfAborted();
    if (range !== ranges[0]) {
      const bytes = new Uint8Array(range.end - range.begin);
      await read([range], (at, count) => bytes.subarray(at, at + count));
      range.bytes = bytes;
      continue;
    }
    const first = group === twinGroup ? [...group.names].find((other) => held.has(other)) : undefined;
    if (first !== undefined) {
      await readTwin(step, first, held.get(first)!);
    } else if (isInMemory) {
      proceed(size);
    } else {
      const bytes = room.take(size);
      held.set(name, bytes);
      await read(ranges, (at, count) => bytes.subarray(at, at + count));
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
 * file, as are scales before their matrices. A group that is spread over several files comes first, so that no part of
 * it waits in memory.
 */
function readsOf(tensors: Tensors, groups: readonly Group[], twins: Group | undefined): Read[] {
  const apart: Read[] = [];
  const along: Read[] = [];
  for (const group of groups) {
    const steps = [...group.names].map((name) => {
      const place = tensors.placeOf(name);
      const ranges = place.ranges.map(({ begin, end }) => ({ source: place.source, begin, end, until: end }));
      return { ...place, name, group, ranges };
    });
    // Of twins, the one that is read comes first.
    steps.sort((a, b) => Number(a.isInMemory) - Number(b.isInMemory));
    const sources = new Set(steps.map(({ source }) => source));
    const isOne = sources.size === 1 && group !== twins && steps[0]!.source.isSequential === true;
    const isAlong = isOne || [...sources].some(({ isForward }) => isForward);
    for (const step of steps) {
      const [first, ...others] = step.ranges;
      const early = isAlong && !step.isInMemory ? others.filter(({ begin }) => begin < first!.begin) : [];
      (isAlong ? along : apart).push(...[...early, first!].map((range) => ({ step, range })));
    }
  }
  const files = [...new Set(along.map(({ step }) => step.source))];
  const key = ({ step }: Read): number => (step.isInMemory ? files.length : files.indexOf(step.source));
  along.sort((a, b) => key(a) - key(b) || a.range.begin - b.range.begin);
  const reads = [...apart, ...along];
  for (let i = reads.length - 2; i >= 0; --i) {
    const [range, next] = [reads[i]!.range, reads[i + 1]!.range];
    const gap = next.source === range.source ? next.begin - range.end : -1;
    if (gap >= 0 && gap <= GAP_BYTES) range.until = next.until;
  }
  return reads;
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
