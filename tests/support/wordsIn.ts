import type { ReactiveControllerHost } from 'lit';
import { Localised } from '../../web/elements/shared/localised.js';

/** The figures' texts in a language, without an element. */
export function wordsIn(language: string): Promise<Localised> {
  return new Promise((resolve) => {
    const host = {
      addController: () => undefined,
      requestUpdate: () => {
        resolve(words);
      },
      closest: () => ({ getAttribute: () => language }),
    };
    const words = new Localised(host as unknown as ReactiveControllerHost & HTMLElement);
    words.hostConnected();
  });
}
