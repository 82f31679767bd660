/** What a browser reveals about its machine. */
export interface Machine {
  /** Operating system, with the processor's architecture if it is known. */
  readonly platform: string;
  /** Name and version. */
  readonly browser: string;
  /** Logical processors; undefined if the browser does not reveal their number. */
  readonly processors: number | undefined;
}

/** User-Agent Client Hints, which not every browser has: https://wicg.github.io/ua-client-hints/ */
interface UserAgentData {
  readonly brands: readonly { readonly brand: string; readonly version: string }[];
  readonly platform: string;
  getHighEntropyValues(
    hints: readonly string[],
  ): Promise<{ readonly architecture?: string; readonly bitness?: string }>;
}

/** The parts of `navigator` that describe a machine. */
export interface Describing {
  readonly userAgent: string;
  readonly hardwareConcurrency?: number;
  readonly userAgentData?: UserAgentData;
}

/** Describes the machine, from client hints or else from the user agent string. */
export async function describeMachine(navigator: Describing): Promise<Machine> {
  const processors = navigator.hardwareConcurrency;
  const hints = navigator.userAgentData;
  if (hints === undefined || hints.platform === '') {
    return { ...fromUserAgent(navigator.userAgent), processors };
  }
  const { architecture = '', bitness = '' } = await hints
    .getHighEntropyValues(['architecture', 'bitness'])
    .catch(() => ({ architecture: '', bitness: '' }));
  const real = hints.brands.filter(({ brand }) => !/not.*brand/i.test(brand));
  // Browsers based on Chromium list it next to their own name.
  const brand = real.find((each) => each.brand !== 'Chromium') ?? real[0];
  return {
    platform: [hints.platform, architecture, bitness].filter((word) => word !== '').join(' '),
    browser: brand === undefined ? fromUserAgent(navigator.userAgent).browser : `${brand.brand} ${brand.version}`,
    processors,
  };
}

/** `Mozilla/5.0 (system; details) … Name/version`. */
function fromUserAgent(text: string): { platform: string; browser: string } {
  const system = /\(([^)]*)\)/.exec(text)?.[1] ?? text;
  const platform = system
    .split(';')
    .map((part) => part.trim())
    .filter((part) => !part.startsWith('rv:'))
    .join(' ');
  const names = [
    ['Edge', /Edg\/(\d+)/],
    ['Opera', /OPR\/(\d+)/],
    ['Firefox', /Firefox\/(\d+)/],
    ['Chrome', /Chrome\/(\d+)/],
    ['Safari', /Version\/([\d.]+).*Safari/],
  ] as const;
  const found = names.find(([, pattern]) => pattern.test(text));
  return { platform, browser: found === undefined ? text : `${found[0]} ${found[1].exec(text)?.[1] ?? ''}` };
}
