import { describe, expect, test } from '@jest/globals';
import { pathLengthsCode } from '../../web/elements/path-lengths/code.js';
import {
  attentionLegs,
  attentionMeeting,
  convolutionLegs,
  convolutionMeeting,
  kernelReach,
  recurrentLegs,
  recurrentMeeting,
  type Leg,
  type Meeting,
} from '../../web/elements/path-lengths/paths.js';
import { runModule } from '../support/runModule.js';
import { complexity } from '../support/library.js';

const LENGTHS = [2, 3, 7, 12];
const KERNELS = [2, 3, 4, 5, 6, 7];

const text = ({ from, to }: Leg): string => `${from.layer},${from.token}>${to.layer},${to.token}`;

interface Diagram {
  readonly legs: ReadonlySet<string>;
  /** The shortest path to a unit that both tokens reach; Infinity without one. */
  readonly searched: (i: number, j: number) => number;
}

/** The connections drawn, and a breadth-first search over them. */
function diagramOf(legs: readonly Leg[], n: number): Diagram {
  const distances = Array.from({ length: n }, (_, token) => {
    const found = new Map([[`0,${token}`, 0]]);
    for (let ring = [`0,${token}`], distance = 1; ring.length > 0; ++distance) {
      const next = legs
        .filter(({ from }) => ring.includes(`${from.layer},${from.token}`))
        .map(({ to }) => `${to.layer},${to.token}`)
        .filter((unit) => !found.has(unit));
      for (const unit of next) found.set(unit, distance);
      ring = [...new Set(next)];
    }
    return found;
  });
  const searched = (i: number, j: number): number => {
    const met = [...distances[i]!].flatMap(([unit, distance]) => {
      const other = distances[j]!.get(unit);
      return unit.startsWith('0,') || other === undefined ? [] : [Math.max(distance, other)];
    });
    return Math.min(...met);
  };
  return { legs: new Set(legs.map(text)), searched };
}

/** Both paths run along connections without a gap, from the tokens to where they meet; the longer one counts. */
function check(meeting: Meeting, { legs }: Diagram, i: number, j: number): number {
  for (const [end, way] of [i, j].map((token, at) => [token, meeting.ways[at] ?? []] as const)) {
    const units = [{ layer: 0, token: end }, ...way.map(({ to }) => to)];
    expect(way.map(({ from }) => from)).toEqual(units.slice(0, -1));
    expect(way.map(text).filter((leg) => !legs.has(leg))).toEqual([]);
    if (meeting.at !== undefined) expect(units.at(-1)).toEqual(meeting.at);
  }
  return Math.max(...meeting.ways.map((way) => way.length));
}

function pairs(n: number): [number, number][] {
  return Array.from({ length: n * n }, (_, at): [number, number] => [Math.floor(at / n), at % n]).filter(
    ([i, j]) => i <= j,
  );
}

describe('paths', () => {
  test.each(KERNELS)('in a stack of kernels of %i have the lengths of the library and of a search', (k) => {
    for (const n of LENGTHS) {
      const enough = Math.ceil((n - 1) / (k - 1));
      const diagram = diagramOf(convolutionLegs(n, k, enough), n);
      for (const [i, j] of pairs(n)) {
        const length = check(convolutionMeeting(i, j, k, enough), diagram, i, j);
        expect(length).toBe(diagram.searched(i, j));
        expect(length).toBe(complexity('cnn', { n: j - i + 1, d: 1, k }).maximumPathLength);
      }
    }
  });

  test('in too few layers go as far as they can and do not meet', () => {
    for (const k of KERNELS) {
      for (const layers of [1, 2, 3]) {
        const diagram = diagramOf(convolutionLegs(12, k, layers), 12);
        for (const [i, j] of pairs(12)) {
          const meeting = convolutionMeeting(i, j, k, layers);
          check(meeting, diagram, i, j);
          expect(meeting.at === undefined).toBe(diagram.searched(i, j) === Infinity);
          if (meeting.at !== undefined) continue;
          const [right, left] = meeting.ways.map((way) => way.at(-1)?.to.token);
          expect([right, left]).toEqual([i + layers * kernelReach(k).left, j - layers * kernelReach(k).right]);
        }
      }
    }
  });

  test('in a recurrence and in self-attention have the lengths of the library and of a search', () => {
    for (const n of LENGTHS) {
      const diagrams = [
        ['rnn', diagramOf(recurrentLegs(n), n), recurrentMeeting],
        ['self-attention', diagramOf(attentionLegs(n), n), attentionMeeting],
      ] as const;
      for (const [architecture, diagram, meeting] of diagrams) {
        for (const [i, j] of pairs(n)) {
          const length = check(meeting(i, j), diagram, i, j);
          expect(length).toBe(diagram.searched(i, j));
          expect(length).toBe(complexity(architecture, { n: j - i + 1, d: 1 }).maximumPathLength);
        }
      }
    }
  });

  test('are printed by the JavaScript of the figure', async () => {
    const { javascript } = pathLengthsCode({ n: 9, k: 4, i: 2, j: 7 });
    expect(await runModule(javascript)).toEqual(['cnn 2 3', 'rnn 6 9', 'self-attention 1 1']);
    const same = pathLengthsCode({ n: 9, k: 4, i: 2, j: 2 });
    expect(await runModule(same.javascript)).toEqual(['cnn 0 3', 'rnn 0 9', 'self-attention 0 1']);
  });
});
