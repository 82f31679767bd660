/** The story model of the figures, for pages that open it themselves. */
export { files, Tokenizer } from './shared/story/story-files.js';
