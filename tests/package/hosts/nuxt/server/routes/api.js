import { fromDisk } from '#shared/checks/files.js';
import { library } from '#shared/checks/library.js';
import { report } from '#shared/checks/report.js';
import { slim } from '#shared/checks/slim.js';
import { threads } from '#shared/checks/threads.js';
import { worker } from '#shared/checks/worker.js';

export default defineEventHandler(() => report({ ...library(fromDisk), ...slim, ...worker, ...threads }));
