/** The parameter of an address that opens the figure of its fragment alone. */
export const PARAMETER = 'teach';
