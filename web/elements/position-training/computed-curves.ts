import type { Positions, Task } from '../../training/index.js';
import curves from './computed-curves.json' with { type: 'json' };

/** Steps per point of the computed curves, which is their mean. */
export const STEPS_A_POINT = 10;

/** Both measures of a kind of positions, a value for each point. */
type Computed = Readonly<Record<Positions, { accuracy: readonly number[]; loss: readonly number[] }>>;

/** The curves of both tasks with seed 1, which `npm run train:computed` computed. A test trains the models and compares. */
export const COMPUTED: Readonly<Record<Task, Computed>> = curves;
