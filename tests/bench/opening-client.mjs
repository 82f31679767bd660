/** Opens a checkpoint, and says how much memory that took at most. */
import { readFileSync } from 'node:fs';
import { watchMemories } from './peers/ours.mjs';

/** The largest memory of this process, in bytes. What `resourceUsage` says may be the parent's. */
function peak() {
  try {
    return 1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return 1024 * process.resourceUsage().maxRSS;
  }
}

const [folder, weightType] = process.argv.slice(2);
const heap = watchMemories();
const { openModel, readCheckpoint } = await import('../../dist/models.js');
const started = performance.now();
const model = await openModel({ ...(await readCheckpoint(folder)), weightType });
const ms = performance.now() - started;
process.send({ ms, peak: peak(), heap: heap(), parameters: model.parameterBytes });
