import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** Debian's Chromium; the headless shell if it is installed, which is twice as fast. */
const SHELL = '/usr/bin/chromium-headless-shell';
const EXECUTABLE = process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium');
/** Disables background activity. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The fonts that Chromium finds on any machine: `dejavu`, or those of the environment variable FONTS, such as `cjk`. */
export const FONTS = process.env.FONTS ?? 'dejavu';

/** Starts Chromium with the fonts of `fonts/`. */
export async function launch(): Promise<Browser> {
  const folder = join(import.meta.dirname, 'fonts');
  const file = `${FONTS}.conf`;
  if (!existsSync(join(folder, file))) throw new Error(`FONTS=${FONTS}: there is no tests/browser/fonts/${file}`);
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: ARGUMENTS,
    env: { ...process.env, FONTCONFIG_PATH: folder, FONTCONFIG_FILE: file },
  });
}
