import { report } from './checks/report.js';
import { fromDisk } from './checks/files.js';
import { library } from './checks/library.js';
import { slim } from './checks/slim.js';
import { threads } from './checks/threads.js';
import { worker } from './checks/worker.js';

test('all entries run', async () => {
  const said = await report({ ...library(fromDisk), ...slim, ...worker, ...threads });
  expect(said).toBe('Checked: library, models, slim, worker, threads.');
});
