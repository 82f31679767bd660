/** What pages use: the task and its settings, a run step by step, and runs in a worker; and the pictures of circles. */
export { circlesIn, GRID, PATCHES, pictureOf, pixelsOf, SIDE, type Picture } from './patches/pictures.js';
export type { Ended } from './protocol.js';
export {
  DEFAULTS,
  POSITIONS,
  TASKS,
  type Positions,
  type Snapshot,
  type Task,
  type TrainingSettings,
} from './settings.js';
export { chance } from './task.js';
export { Training, type Progress } from './train.js';
export { Trainer, type TrainingWorker } from './trainer.js';
