/** A text to say after another one: live regions are silent unless it differs. */
export function anew(text: string, before: string): string {
  return text === before ? `${text}\u00a0` : text;
}
