import { expect, test } from '@jest/globals';
import { figures } from '../../../../web/elements/registry.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { verdictOf } from '../../cells.js';
import { choose } from '../../shown.js';

const { open } = useBrowser();

/** Their code opens a model's files, which a cell cannot. */
const LISTED = ['follow-word', 'language-model', 'patch-positions'];
/** It may train for longer than a cell may run; what it has printed by then stays. */
const SLOW = ['position-training'];
const LATE = 'Stopped: the code was still running after 10 seconds.';

test.each(Object.keys(figures).filter((tag) => !LISTED.includes(tag)))(
  'the code of %s runs in a cell and prints something',
  async (tag) => {
    const { page, figure } = await openAlone(open, tag);
    await choose(figure, 'Code');
    await figure.getByRole('button', { name: 'Edit and run' }).click();
    const cell = page.locator('code-cell');
    const said = await verdictOf(cell);
    const count = await cell.locator('.output > *').count();
    expect(count).toBeGreaterThan(0);
    const done = `Done. Outputs: ${count}.`;
    expect(SLOW.includes(tag) ? [done, LATE] : [done]).toContain(said);
  },
);
