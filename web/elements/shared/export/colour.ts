/** A colour in the notation of SVG 1.1, and its opacity. */
export interface Paint {
  /** `#rrggbb` */
  readonly colour: string;
  /** 0 to 1. */
  readonly opacity: number;
}

let probe: OffscreenCanvasRenderingContext2D | null | undefined;

/** Reads a computed CSS colour in any notation. */
export function paintOf(computed: string): Paint {
  const channels = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(computed);
  const [red = 0, green = 0, blue = 0, alpha = 1] =
    channels === null
      ? sampled(computed)
      : channels.slice(1).map((text) => (text === undefined ? undefined : Number(text)));
  return { colour: hex(red, green, blue), opacity: alpha };
}

/** `#rrggbb` of three channels from 0 to 255. */
export function hex(...channels: readonly number[]): string {
  return `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

/** For notations such as `color(srgb …)`: paints one pixel and reads it back. */
function sampled(computed: string): number[] {
  probe ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (probe === null) return [];
  probe.clearRect(0, 0, 1, 1);
  probe.fillStyle = computed;
  probe.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = probe.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}
