import { load } from 'wasm-attention';
import { prepare } from './kernels.js';
import type { RaceMessage, RaceOrder } from './messages.js';
import type { Contestant } from './plan.js';
import { measure, RACE_BUDGET } from './timing.js';

/** In milliseconds. Points are skipped if the previous point suggests that they would take longer. */
const LONGEST = 5000;

const tell = (message: RaceMessage): void => postMessage(message);

addEventListener('message', (event: MessageEvent<RaceOrder>) => {
  race(event.data).then(
    () => tell({ type: 'done' }),
    (error: unknown) => tell({ type: 'failed', reason: String(error) }),
  );
});

/** Measures one point after another. The page terminates the worker to stop it. */
async function race({ threads, points }: RaceOrder): Promise<void> {
  const library = await load({ threads });
  if (library.features.threads < threads) throw new Error(`expected ${threads} threads`);
  const rates = new Map<Contestant, number>();
  for (const point of points) {
    const { contestant, size, multiplyAdds } = point;
    const expected = multiplyAdds * (rates.get(contestant) ?? 0);
    if (expected > LONGEST) {
      tell({ type: 'omitted', point });
      continue;
    }
    tell({ type: 'started', point });
    const timing = measure(prepare(library, contestant, size), RACE_BUDGET, () => performance.now());
    rates.set(contestant, timing.milliseconds / multiplyAdds);
    tell({ type: 'measured', point, timing });
    await new Promise((resolve) => setTimeout(resolve));
  }
}
