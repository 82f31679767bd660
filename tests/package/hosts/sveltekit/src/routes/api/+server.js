import { fromDisk } from '../../checks/files.js';
import { library } from '../../checks/library.js';
import { report } from '../../checks/report.js';
import { slim } from '../../checks/slim.js';
import { threads } from '../../checks/threads.js';
import { worker } from '../../checks/worker.js';

export const GET = async () => new Response(await report({ ...library(fromDisk), ...slim, ...worker, ...threads }));
