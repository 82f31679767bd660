import { css, html, nothing, type TemplateResult } from 'lit';
import type { Localised } from './localised.js';

/**
 * Candidates for the next token, each with its probability as a bar and a number. `language` is that of the tokens, if
 * known.
 */
export function nextTokens(
  label: string,
  tokens: readonly { readonly name: string; readonly share: number }[],
  words: Pick<Localised, 'percent'>,
  language?: string,
): TemplateResult {
  return html`<dl class="next" aria-label=${label}>
    ${tokens.map(
      ({ name, share }) =>
        html`<dt lang=${language ?? nothing}>${name}</dt>
          <dd aria-hidden="true">
            <svg><rect width="${(share * 100).toFixed(1)}%" height="100%" /></svg>
          </dd>
          <dd>${words.percent(share, 1)}</dd>`,
    )}
  </dl>`;
}

export const nextTokensStyles = css`
  .next {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr) max-content;
    gap: 0.1rem 0.5rem;
    align-items: center;
    max-width: 30rem;
    margin: 0;
    font-size: 0.875rem;
  }
  .next dt {
    min-width: 4em;
  }
  .next dd {
    margin: 0;
    text-align: end;
  }
  .next svg {
    display: block;
    width: 100%;
    height: 0.6rem;
  }
  .next rect {
    fill: var(--_series-0);
  }
`;
