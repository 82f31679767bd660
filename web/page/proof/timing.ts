/** A piece of work that the benchmark times. */
export interface Contender {
  readonly id: string;
  readonly run: () => unknown;
}

/** Milliseconds. */
export interface Budget {
  /** Calls that do not count, because engines optimise code while it runs. */
  readonly warmUp: number;
  /** The samples of one contender. A single call that takes longer is the measurement. */
  readonly samples: number;
  /** One sample has several calls if they are shorter, because some browsers' clocks tick only every millisecond. */
  readonly sample: number;
}

export interface Timing {
  /** Milliseconds of one call. */
  readonly median: number;
  readonly min: number;
  readonly samples: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

interface Plan {
  readonly contender: Contender;
  readonly calls: number;
  readonly samples: number[];
  spent: number;
}

/**
 * Times contenders in turns, A B C A B C …, so that a machine that becomes slower or faster does so for all of them.
 *
 * @param tell receives the share of the work that is done, and what comes next
 */
export async function timeInTurns(
  contenders: readonly Contender[],
  budget: Budget,
  now: () => number,
  tell: (share: number, id: string) => void,
): Promise<Map<string, Timing>> {
  const sampleOf = async ({ run }: Contender, calls: number): Promise<number> => {
    const start = now();
    for (let i = 0; i < calls; ++i) {
      const result = run();
      if (result instanceof Promise) await result;
    }
    return (now() - start) / calls;
  };
  const whole = contenders.length * (budget.warmUp + budget.samples);
  let past = 0;

  const plans: Plan[] = [];
  for (const contender of contenders) {
    tell(past / whole, contender.id);
    const start = now();
    const first = await sampleOf(contender, 1);
    let fastest = first;
    while (now() - start < budget.warmUp) fastest = Math.min(fastest, await sampleOf(contender, 1));
    const isLong = first >= budget.samples;
    const calls = Math.max(1, Math.ceil(budget.sample / Math.max(fastest, 1e-3)));
    plans.push({ contender, calls, samples: isLong ? [first] : [], spent: isLong ? budget.samples : 0 });
    past += budget.warmUp + (isLong ? budget.samples : 0);
  }
  for (let waiting = plans; waiting.length > 0; waiting = waiting.filter(({ spent }) => spent < budget.samples)) {
    for (const plan of waiting) {
      if (plan.spent >= budget.samples) continue;
      tell(past / whole, plan.contender.id);
      const sample = await sampleOf(plan.contender, plan.calls);
      const spent = Math.min(sample * plan.calls, budget.samples - plan.spent);
      plan.samples.push(sample);
      plan.spent += spent;
      past += spent;
    }
  }
  return new Map(
    plans.map(({ contender: { id }, samples }) => [
      id,
      { median: median(samples), min: Math.min(...samples), samples: samples.length },
    ]),
  );
}
