/** Measures in a worker, so that the page stays free; the page terminates it to stop. */
import { load } from 'wasm-attention/slim';
import { openLimit } from './limit.js';
import type { Answer, Order } from './messages.js';
import { openOrt } from './ort.js';
import { cosine } from './problems.js';
import { idOf, limitOf, WORK_NAMES } from './results.js';
import { timeInTurns, type Budget } from './timing.js';
import { prepare, type Hosts } from './works.js';

/** At most 27 contenders: a minute, and less than two on a phone, where some take longer for their first call. */
const BUDGET: Budget = { warmUp: 400, samples: 1600, sample: 20 };
const QUICK: Budget = { warmUp: 1, samples: 20, sample: 1 };

const tell = (answer: Answer): void => postMessage(answer);

addEventListener('message', ({ data }: MessageEvent<Order>) => {
  measure(data).then(
    () => tell({ type: 'done' }),
    (error: unknown) => tell({ type: 'failed', reason: String(error) }),
  );
});

async function measure({ threads, files, quick }: Order): Promise<void> {
  const one = await load();
  const all = threads > 1 ? await load({ threads, fresh: true }) : undefined;
  const own: Hosts = { one, all: all && all.features.threads > 1 ? all : undefined, ort: undefined };
  let ort: Hosts['ort'];
  const leaveOut = (error: unknown): void => {
    ort = undefined;
    tell({ type: 'without', reason: String(error) });
  };
  if (files.length > 0) {
    try {
      ort = await openOrt(files);
    } catch (error) {
      leaveOut(error);
    }
  }
  const limit = await openLimit(one.features.simd === 'relaxed-simd');

  for (const [index, work] of WORK_NAMES.entries()) {
    const share = (part: number): number => (index + part) / WORK_NAMES.length;
    tell({ type: 'progress', share: share(0), id: limitOf(work) });
    let ways = await prepare[work]({ ...own, ort }).catch((error: unknown) => {
      if (ort === undefined) throw error;
      leaveOut(error);
      return prepare[work](own);
    });
    // All have to compute the same.
    const expected = await ways.find(({ side }) => side === 'javascript')!.run();
    for (const { type, side, run } of ways) {
      if (side === 'javascript') continue;
      const alike = cosine(await run(), expected);
      if (alike > (type === 'int8' ? 0.99 : 1 - 1e-6)) continue;
      const error = new Error(`${idOf(work, type, side)}: cosine ${alike}`);
      if (side !== 'ort') throw error;
      leaveOut(error);
      ways = ways.filter((way) => way.side !== 'ort');
    }
    const contenders = ways.map(({ type, side, run }) => ({ id: idOf(work, type, side), run }));
    const timings = await timeInTurns(
      [{ id: limitOf(work), run: limit }, ...contenders],
      quick ? QUICK : BUDGET,
      () => performance.now(),
      (part, id) => tell({ type: 'progress', share: share(part), id }),
    );
    tell({ type: 'measured', threads: own.all?.features.threads ?? 1, timings });
  }
}
