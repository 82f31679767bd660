import { expect, test } from '@jest/globals';
import type { Visit } from '../visit.js';

export function checkProof(visit: Visit): void {
  test('the proof page measures the library on one thread and on all', async () => {
    await visit.open('/en/proof/?quick', { isolated: true });
    await visit.click('proof-benchmark button');
    // In a slow engine the encoder in JavaScript takes seconds.
    const end = performance.now() + 120_000;
    const ended = (): Promise<boolean> =>
      visit.browser.run(() => !/^\s*(Measuring…)?\s*$/.test(findAll('[role=status]')[0]!.innerText));
    while (!(await ended()) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await visit.browser.run(() => findAll('[role=status]')[0]!.innerText.trim())).toMatch(/^Done after/);
    const rows = await visit.browser.run(() =>
      findAll<HTMLTableRowElement>('proof-benchmark tbody tr').map(({ cells }) =>
        Array.from(cells, (cell) => cell.innerText),
      ),
    );
    const measured = rows
      .filter(([name]) => !name!.startsWith('onnxruntime'))
      .map((cells) => Number(cells[1]!.replace(',', '')));
    expect(measured).toHaveLength(2 + 3 * 4 + 4);
    expect(measured.filter((milliseconds) => !(milliseconds > 0))).toEqual([]);
  }, 150_000);
}
