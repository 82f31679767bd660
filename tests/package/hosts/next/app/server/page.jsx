import { fromDisk } from '../checks/files.js';
import { library } from '../checks/library.js';
import { report } from '../checks/report.js';
import { slim } from '../checks/slim.js';

export default async function Page() {
  return <output>{await report({ ...library(fromDisk), ...slim })}</output>;
}
