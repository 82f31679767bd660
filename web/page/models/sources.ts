import { html, nothing, type TemplateResult } from 'lit';
import { megabytes } from './opening.js';
import type { ModelWords } from './words.js';

const HUB = 'https://huggingface.co';

/** A small model for each thing that the page shows, with its bytes. A single file needs no command. */
const MODELS = [
  {
    does: 'writes',
    repository: 'bartowski/SmolLM2-135M-Instruct-GGUF',
    files: ['SmolLM2-135M-Instruct-Q8_0.gguf'],
    size: 145e6,
  },
  {
    does: 'compares',
    repository: 'sentence-transformers/all-MiniLM-L6-v2',
    files: ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'],
    size: 91e6,
  },
  {
    does: 'classifies',
    repository: 'WinKawaks/vit-tiny-patch16-224',
    files: ['config.json', 'model.safetensors', 'preprocessor_config.json'],
    size: 23e6,
  },
] as const;

/** Where readers find models: one to download, and commands for two others. */
export function sources(words: ModelWords, isOpen: boolean): TemplateResult {
  return html`<details ?open=${isOpen}>
    <summary>${words.text('models.from')}</summary>
    <p>${words.text('models.hub')} <code>pip install -U huggingface_hub</code></p>
    <ul>
      ${MODELS.map(({ does, repository, files, size }) => {
        const [file, more] = files;
        const name = repository.replace(/.*\//, '');
        const address =
          more === undefined ? `${repository}/resolve/main/${file}?download=true` : `${repository}/tree/main`;
        return html`<li>
          <a href="${HUB}/${address}">${more === undefined ? file : name}</a>, ${megabytes(words, size)}:
          ${words.text(`models.${does}`)}
          ${more === undefined ? nothing : html`<pre>hf download ${repository} ${files.join(' ')} --local-dir ${name}</pre>`}
        </li>`;
      })}
    </ul>
  </details>`;
}
