import { svg, type SVGTemplateResult } from 'lit';
import type { Architecture } from 'wasm-attention';
import {
  attentionLegs,
  attentionMeeting,
  convolutionLegs,
  convolutionMeeting,
  recurrentLegs,
  recurrentMeeting,
  type Leg,
  type Meeting,
  type Unit,
} from './paths.js';

/** A diagram: tokens below, layers above. */
export interface Diagram {
  readonly n: number;
  /** Layers of units above the tokens. */
  readonly layers: number;
  /** The distance between two layers, in units of the view box. */
  readonly spacing: number;
  readonly legs: readonly Leg[];
  /** Whether the length counts only the earlier token's path. The other one is thin. */
  readonly meeting: Meeting;
  /** The two tokens, counted from 0. */
  readonly picked: readonly [number, number];
  readonly onPick: (token: number) => void;
}

/** The diagram of an architecture, with the paths of the two tokens `picked`. */
export function diagramOf(
  architecture: Architecture,
  { length: n, kernel, layers }: { readonly length: number; readonly kernel: number; readonly layers: number },
  picked: readonly [number, number],
  onPick: (token: number) => void,
): Diagram {
  const shared = { n, picked, onPick };
  const [i, j] = picked;
  const same: Meeting | undefined = i === j ? { ways: [[], []], at: { layer: 0, token: i } } : undefined;
  switch (architecture) {
    case 'cnn':
      return {
        ...shared,
        layers,
        // All stacks are equally high, so that the sliders below stay where they are.
        spacing: 132 / layers,
        legs: convolutionLegs(n, kernel, layers),
        meeting: same ?? convolutionMeeting(i, j, kernel, layers),
      };
    case 'rnn':
      return {
        ...shared,
        layers: 1,
        spacing: 40,
        legs: recurrentLegs(n),
        meeting: same ?? recurrentMeeting(i, j),
      };
    case 'self-attention':
      return {
        ...shared,
        layers: 1,
        spacing: 56,
        legs: attentionLegs(n),
        meeting: same ?? attentionMeeting(i, j),
      };
  }
}

/** In units of the view box, which is as wide as the figure on a narrow phone, so that a unit is a pixel there. */
export const VIEW_WIDTH = 320;
const MARGIN = { top: 10, bottom: 34, side: 2 };

/** Height of a diagram's view box. */
export function viewHeight({ layers, spacing }: Diagram): number {
  return MARGIN.top + layers * spacing + MARGIN.bottom;
}

/**
 * Draws a diagram: quiet connections, and the paths of the two tokens above them. All quiet connections are one SVG
 * path, because hundreds of elements would take a third of a frame.
 */
export function drawDiagram(diagram: Diagram): SVGTemplateResult {
  const { n, layers, spacing, legs, meeting, picked, onPick } = diagram;
  const [counted, other] = meeting.ways;
  const height = viewHeight(diagram);
  const pitch = (VIEW_WIDTH - 2 * MARGIN.side) / n;
  const x = ({ token }: Unit): number => MARGIN.side + (token + 0.5) * pitch;
  const y = ({ layer }: Unit): number => height - MARGIN.bottom - layer * spacing;
  const line = (className: string, { from, to }: Leg): SVGTemplateResult =>
    svg`<line class=${className} x1=${x(from)} y1=${y(from)} x2=${x(to)} y2=${y(to)} />`;
  const on = new Set(meeting.ways.flat().flatMap(({ from, to }) => [keyOf(from), keyOf(to)]));
  const units = Array.from({ length: (layers + 1) * n }, (_, at) => ({
    layer: Math.floor(at / n),
    token: at % n,
  }));
  const className = (unit: Unit): string => {
    if (meeting.at !== undefined && keyOf(unit) === keyOf(meeting.at)) return 'unit met';
    return on.has(keyOf(unit)) || (unit.layer === 0 && picked.includes(unit.token)) ? 'unit on' : 'unit';
  };
  const lit = meeting.at === undefined ? 'lit short' : 'lit';
  const radius = Math.min(6.5, pitch * 0.24);
  return svg`
    <path class="leg" d=${legs.map(({ from, to }) => `M${x(from)},${y(from)}L${x(to)},${y(to)}`).join('')} />
    ${counted.map((leg) => line(lit, leg))} ${other.map((leg) => line(`${lit} own`, leg))}
    ${units.map((unit) => svg`<circle class=${className(unit)} cx=${x(unit)} cy=${y(unit)} r=${radius} />`)}
    ${Array.from({ length: n }, (_, token) => {
      const at = x({ layer: 0, token });
      return svg`<text class=${picked.includes(token) ? 'number on' : 'number'} x=${at} y=${height - 10}
          text-anchor="middle">${token + 1}</text>
        <rect class="hit" x=${at - pitch / 2} width=${pitch} height=${height} @click=${() => onPick(token)} />`;
    })}`;
}

function keyOf({ layer, token }: Unit): string {
  return `${layer},${token}`;
}
