/**
 * Where the fields of AttentionArgs in cpp/attention.h stand, in words of 4 bytes. The strides of a stack of matrices (of
 * batch, head and row) stand behind its address. Constants, so that bundles hold numbers and no names.
 */
export const batch = 0;
export const heads = 1;
export const kvHeads = 2;
export const queries = 3;
export const keys = 4;
export const width = 5;
export const valueWidth = 6;
export const query = 7;
export const key = 11;
export const value = 15;
export const output = 19;
export const validLens = 23;
export const validBatch = 24;
export const validRow = 25;
export const offsets = 26;
export const windowLeft = 27;
export const windowRight = 28;
export const mask = 29;
export const maskColumns = 33;
export const maskStep = 34;
export const bias = 35;
export const biasColumns = 39;
export const biasStep = 40;
export const relativeKeys = 41;
export const relativeKeysHead = 42;
export const relativeKeysClip = 43;
export const relativeValues = 44;
export const relativeValuesHead = 45;
export const relativeValuesClip = 46;
export const alibiSlopes = 47;
export const weights = 48;
export const scores = 49;
export const scoresStage = 50;
export const logSumExp = 51;
export const seed = 52;
export const scratch = 53;
export const scale = 54;
export const softcap = 55;
export const dropout = 56;
