import 'wasm-attention/elements';
import { library } from './checks/library.js';
import { report } from './checks/report.js';
import { slim } from './checks/slim.js';
import { threads } from './checks/threads.js';
import { worker } from './checks/worker.js';

const checks = { ...library((name) => fetch(`./stories260K/${name}`)), ...slim, ...worker, ...threads };
report(checks).then((text) => console.log(`result ${text}`));
