import { interpolated, type Ramp } from '../heat-map/ramps.js';

/** From dark to bright, for maps over a picture, on light pages and on dark ones: stops of matplotlib's inferno. */
export const heat: Ramp = interpolated('000004 1b0c41 4a0c6b 781c6d a52c60 cf4446 ed6925 fb9b06 f7d13d fcffa4');
