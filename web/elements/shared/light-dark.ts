import { unsafeCSS, type CSSResult } from 'lit';

/**
 * A rule with colours for the light and the dark scheme, whether page or reader chose it. Safari before 17.5 has no
 * `light-dark()`, and follows the reader's choice alone.
 *
 * @param declarations the rule's declarations, given a function from both colours to one
 */
export function schemeRule(
  selector: string,
  declarations: (pick: (light: string, dark: string) => string) => string,
): CSSResult {
  const rule = (pick: (light: string, dark: string) => string): string => `${selector} { ${declarations(pick)} }`;
  return unsafeCSS(`${rule((light, dark) => `light-dark(${light}, ${dark})`)}
  @supports not (color: light-dark(red, red)) {
    ${rule((light) => light)}
    @media (prefers-color-scheme: dark) { ${rule((_light, dark) => dark)} }
  }`);
}
