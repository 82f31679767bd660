import type { Looks } from '../plot/series.js';

/** What figures of the same matrix P share. */
export interface EncodingSettings {
  length: number;
  width: number;
  base: number;
  columns: readonly number[];
}

interface Member extends EncodingSettings {
  readonly group: string;
  readonly firstSettings: Readonly<Record<string, unknown>>;
  readonly looks: Looks;
}

const groups = new Map<string, Set<Member>>();

/** Joins the figure's group. If it has members already, takes over their settings and returns the member that it took them from. */
export function adopt(member: Member): Member | undefined {
  if (member.group === '') return undefined;
  const members = groups.get(member.group) ?? new Set<Member>();
  groups.set(member.group, members);
  const [first] = members;
  if (first !== undefined) copy(first, member);
  members.add(member);
  return first;
}

/** Gives a figure's settings to the rest of its group. */
export function share(member: Member): void {
  for (const other of groups.get(member.group) ?? []) if (other !== member) copy(member, other);
}

/** Gives a figure's columns alone to the rest of its group. */
export function shareColumns(member: Member): void {
  for (const other of groups.get(member.group) ?? []) other.columns = member.columns;
}

/** Leaves the group, and removes it if it is empty. */
export function leave(member: Member): void {
  const members = groups.get(member.group);
  members?.delete(member);
  if (members?.size === 0) groups.delete(member.group);
}

function copy(from: EncodingSettings, to: EncodingSettings): void {
  to.length = from.length;
  to.width = from.width;
  to.base = from.base;
  to.columns = from.columns;
}
