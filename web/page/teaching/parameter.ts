/** The URL parameter that opens the fragment's figure alone. */
export const PARAMETER = 'teach';
