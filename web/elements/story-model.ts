/** The model of `<language-model>`, for pages that open it themselves. */
export { files, Tokenizer } from './language-model/story-files.js';
