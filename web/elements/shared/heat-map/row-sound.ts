import { isMasked, type RowMap } from './row-text.js';

/** What is heard of a cell, or of several neighbours: a tone as loud as the weight, or the dull click of a mask. */
export interface Tone {
  readonly kind: 'tone' | 'click';
  /** Seconds from the first cell, and until it fades. */
  readonly onset: number;
  readonly length: number;
  /** From 0, which is silent, to 1. */
  readonly gain: number;
  /** In hertz. */
  readonly frequency: number;
}

/** How long a row and a cell last at most, in seconds, and the most tones of a row. */
const LONGEST = { row: 2, cell: 0.16 };
const MOST = 50;
/** Negative values are two octaves lower than the others. */
const HERTZ = { negative: 165, positive: 660, click: 90 };

/** A row from left to right. The greatest of neighbours that share a tone is heard, and the greatest of a row is loudest. */
export function tonesOf(map: Pick<RowMap, 'values' | 'columns' | 'mask' | 'validColumns'>, row: number): Tone[] {
  const { values, columns } = map;
  const size = Math.ceil(columns / MOST);
  const count = Math.ceil(columns / size);
  const length = Math.min(LONGEST.cell, LONGEST.row / count);
  const heard = Array.from({ length: count }, (_, i) => {
    let [most, masked]: [number | undefined, boolean] = [undefined, false];
    for (let column = i * size; column < Math.min(columns, (i + 1) * size); ++column) {
      const at = row * columns + column;
      const value = values[at] ?? NaN;
      if (isMasked(map, at)) masked = true;
      else if (Number.isFinite(value) && Math.abs(value) >= Math.abs(most ?? 0)) most = value;
    }
    return { most, masked };
  });
  const loudest = Math.max(...heard.map(({ most = 0 }) => Math.abs(most))) || 1;
  return heard.map(({ most, masked }, i) => {
    const place = { onset: i * length, length };
    if (most === undefined && masked) return { kind: 'click', ...place, gain: 0.5, frequency: HERTZ.click };
    const [value, frequency] = [most ?? 0, (most ?? 0) < 0 ? HERTZ.negative : HERTZ.positive];
    return { kind: 'tone', ...place, gain: Math.abs(value) / loudest, frequency };
  });
}

let context: AudioContext | undefined;
let playing: readonly OscillatorNode[] = [];

/** Plays tones instead of those that still sound. */
export function play(tones: readonly Tone[]): void {
  const audio = (context ??= new AudioContext());
  void audio.resume();
  for (const source of playing) source.stop();
  const now = audio.currentTime + 0.02;
  playing = tones
    .filter(({ gain }) => gain > 0)
    .map(({ kind, onset, length, gain, frequency }) => {
      const [source, volume] = [audio.createOscillator(), audio.createGain()];
      const [start, end] = [now + onset, now + onset + (kind === 'click' ? length / 3 : length)];
      source.type = kind === 'click' ? 'triangle' : 'sine';
      source.frequency.value = frequency;
      // Without fading in and out, each tone would crackle.
      volume.gain.setValueAtTime(0, start);
      volume.gain.linearRampToValueAtTime(gain / 3, start + length / 10);
      volume.gain.linearRampToValueAtTime(0, end);
      source.connect(volume).connect(audio.destination);
      source.start(start);
      source.stop(end);
      return source;
    });
}
