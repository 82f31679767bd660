/**
 * A setting that readers can change in a figure: its initial value, and how it is written in an attribute or a link.
 */
export interface Setting<T> {
  readonly initial: T;
  /** The value of `text`, or undefined if it is invalid. */
  read(text: string): T | undefined;
  write(value: T): string;
  /** Of a number: the ends of its slider. */
  readonly limits?: Limits;
  /** Of a choice: all values. */
  readonly words?: readonly string[];
  /** Of a list: its elements. */
  readonly each?: Setting<unknown>;
}

/** The ends of a slider, and its step; default 1. */
export interface Limits {
  readonly min: number;
  readonly max: number;
  readonly step?: number;
}

/** A figure's settings by property. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** The values of settings by name. */
export type Values<S extends Settings> = { -readonly [Name in keyof S]: S[Name]['initial'] };

/**
 * The value that an attribute or a property gives a setting: null or undefined stand for a missing one, and what has
 * another type than the setting is read as text.
 */
export function valueOf<T>(setting: Setting<T>, given: unknown): T {
  const { initial } = setting;
  if (given == null) return initial;
  const isText = typeof given === 'string' || typeof given !== typeof initial;
  return isText ? (setting.read([given as string].flat().join(' ')) ?? initial) : (given as T);
}

/** A whole number from `min` to `max`, a multiple of `step` away from `min`. */
export function whole(initial: number, min: number, max: number, step = 1): Setting<number> {
  const setting = real(initial, min, max, (value) => Number.isInteger(value) && (value - min) % step === 0);
  return { ...setting, limits: { min, max, step } };
}

/** A number from `min` to `max`. */
export function real(
  initial: number,
  min: number,
  max: number,
  allows: (value: number) => boolean = () => true,
): Setting<number> {
  const read = (text: string): number | undefined => {
    const value = text.trim() === '' ? NaN : Number(text);
    // Adding 0 turns −0 into 0, since −0 cannot be written.
    return value >= min && value <= max && allows(value) ? value + 0 : undefined;
  };
  return { initial, read, write: String, limits: { min, max } };
}

/** One of several words. */
export function oneOf<const T extends string>(initial: T, ...others: readonly T[]): Setting<T> {
  const words = [initial, ...others];
  return { initial, read: (text) => words.find((word) => word === text), write: (value) => value, words };
}

/** Yes or no. As an attribute, `no` is the word that turns it off. */
export function flag(initial: boolean): Setting<boolean> {
  const values: Readonly<Record<string, boolean>> = {
    '': true,
    yes: true,
    true: true,
    no: false,
    false: false,
  };
  return {
    initial,
    read: (text) => (Object.hasOwn(values, text) ? values[text] : undefined),
    write: (value) => (value ? 'yes' : 'no'),
    words: ['yes', 'no'],
  };
}

/** From `least` to `most` settings of one kind, separated by spaces. */
export function several<T>(
  initial: readonly T[],
  each: Setting<T>,
  { least = 0, most = Infinity }: { least?: number; most?: number } = {},
): Setting<readonly T[]> {
  return {
    initial,
    read: (text) => {
      const words = text.split(/[\s,]+/).filter((word) => word !== '');
      if (words.length < least || words.length > most) return undefined;
      const values = words.map((word) => each.read(word));
      const good = values.every((value) => value !== undefined);
      return good ? values : undefined;
    },
    write: (values) => values.map((value) => each.write(value)).join(' '),
    each,
  };
}

/** Any text of at most `most` characters (code points), truncated if it is longer. */
export function words(initial: string, most: number): Setting<string> {
  return {
    initial,
    read: (text) =>
      Array.from(text.slice(0, 2 * most))
        .slice(0, most)
        .join(''),
    write: (value) => value,
  };
}
