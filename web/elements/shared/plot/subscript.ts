import { svg, type SVGTemplateResult } from 'lit';

/**
 * A subscript in an SVG text, and the text after it. Unicode's own are tiny in many fonts, and few browsers support
 * `baseline-shift`.
 */
export function subscript(text: string, rest = ''): SVGTemplateResult {
  return svg`<tspan dy="3" font-size="80%">${text}</tspan><tspan dy="-3">${rest}</tspan>`;
}
