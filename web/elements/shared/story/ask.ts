import { css, html, nothing, type TemplateResult } from 'lit';
import type { StoryWords } from './story-texts.js';

/** Before the model is loaded: the beginning of a story, what the model is, and a button that loads it. */
export function askTemplate(
  words: StoryWords,
  beginning: string,
  state: 'asked' | 'failed' | undefined,
  open: () => void,
): TemplateResult {
  return html`<div class="ask">
    <p class="story" lang="en">${beginning}</p>
    <p>${words.text('story.about')}</p>
    <button type="button" aria-disabled=${state === 'asked'} @click=${open}>
      ${words.text(state === 'asked' ? 'story.loading' : 'story.load')}
    </button>
    <p role="alert">${state === 'failed' ? words.text('story.failed') : nothing}</p>
  </div>`;
}

export const askStyles = css`
  .ask {
    display: grid;
    gap: 0.75rem;
    justify-items: start;
    padding: 1.25rem 0;
  }
  .ask p {
    max-width: 40rem;
  }
  .ask .story {
    color: var(--_quiet);
    font-size: 1.25rem;
  }
`;
