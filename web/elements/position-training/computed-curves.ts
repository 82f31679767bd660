import type { Positions, Task } from '../../training/index.js';
import curves from './computed-curves.json' with { type: 'json' };

/** How many steps a point of the precomputed curves averages. */
export const STEPS_A_POINT = 10;

/** Both measures of a kind of positions, one value per point. */
type Computed = Readonly<Record<Positions, { accuracy: readonly number[]; loss: readonly number[] }>>;

/** The curves of both tasks with seed 1, from `npm run train:computed`. A test trains the models and compares. */
export const COMPUTED: Readonly<Record<Task, Computed>> = curves;
