import type { Looks } from '../plot/series.js';
import { real, several, whole, type Values } from '../settings.js';

/** The most columns that are drawn at once, which is the number of line styles. */
export const MAX_COLUMNS = 6;

const MAX_WIDTH = 128;

/** The settings that figures of the same matrix P share. */
export const settings = {
  /** Positions: rows of P. */
  length: whole(60, 2, 256),
  /** Columns of P, the paper's d. */
  width: whole(32, 4, MAX_WIDTH),
  /** Base of the frequencies. */
  base: real(10000, 10, 1e6),
  /** The columns drawn as curves. */
  columns: several([6, 7, 8, 9], whole(0, 0, MAX_WIDTH - 1), { least: 1, most: MAX_COLUMNS }),
};
export type EncodingSettings = Values<typeof settings>;

interface Member extends EncodingSettings {
  readonly group: string;
  readonly firstSettings: Readonly<Record<string, unknown>>;
  readonly looks: Looks;
}

interface Group {
  readonly members: Set<Member>;
  /** The last shared settings. A member that shows something alone differs from them. */
  settings: EncodingSettings;
}

const groups = new Map<string, Group>();

/** Joins the figure's group. If it has members already, adopts their settings and returns the first of them. */
export function adopt(member: Member): Member | undefined {
  if (member.group === '') return undefined;
  const group = groups.get(member.group);
  if (group === undefined) {
    groups.set(member.group, { members: new Set([member]), settings: settingsOf(member) });
    return undefined;
  }
  const [first] = group.members;
  group.members.add(Object.assign(member, group.settings));
  return first;
}

/** Shares a figure's settings with the rest of its group: all of them, or only its columns. */
export function share(member: Member, shared: Partial<EncodingSettings> = settingsOf(member)): void {
  const group = groups.get(member.group);
  if (group === undefined) return;
  group.settings = { ...group.settings, ...shared };
  for (const other of group.members) if (other !== member) Object.assign(other, shared);
}

/** Leaves the group, and removes it if it is empty. */
export function leave(member: Member): void {
  const members = groups.get(member.group)?.members;
  members?.delete(member);
  if (members?.size === 0) groups.delete(member.group);
}

function settingsOf({ length, width, base, columns }: EncodingSettings): EncodingSettings {
  return { length, width, base, columns };
}
