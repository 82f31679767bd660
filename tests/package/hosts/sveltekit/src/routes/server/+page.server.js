import { fromDisk } from '../../checks/files.js';
import { library } from '../../checks/library.js';
import { report } from '../../checks/report.js';
import { slim } from '../../checks/slim.js';

export const load = async () => ({ text: await report({ ...library(fromDisk), ...slim }) });
