/** Turns measurements into tables. */
import { median } from './timing.mjs';

const OURS = 'wasm-attention';
const COLUMNS = [
  OURS,
  'baseline',
  'ort',
  'ort-attention',
  'ort-mha',
  'ort-integer',
  'ort-dynamic',
  'ort-nbits',
  'tfjs',
  'javascript',
  'wllama',
];

export const ms = (value) => (value < 0.1 ? value.toFixed(4) : value < 10 ? value.toFixed(3) : value.toFixed(1));
const percent = (share) => `${(100 * share).toFixed(0)} %`;

/** A table with aligned columns: the first on the left, the others on the right. */
export function table(header, rows) {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => String(row[column]).length)));
  const line = (row) =>
    row.map((cell, i) => (i ? String(cell).padStart(widths[i]) : String(cell).padEnd(widths[i]))).join('  ');
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** Merges results of one row from several processes: the median of the medians, the smallest of the minima. */
export function merge(runs) {
  const done = runs.filter((run) => !run.failed);
  if (done.length < 2) return done[0] ?? runs[0];
  const rows = done[0].rows.map((row) => {
    const same = done.map((run) => run.rows.find(({ peer }) => peer === row.peer)).filter((one) => one?.median);
    if (same.length === 0) return row;
    const medians = same.map((one) => one.median);
    return { ...row, median: median(medians), min: Math.min(...same.map((one) => one.min)), medians };
  });
  return { ...done[0], rows, microKernel: median(done.map((run) => run.microKernel)) };
}

const rowOf = (result, peer) => result.rows?.find((row) => row.peer === peer);

/** The bars of a row as `{ text, value, met }`; `met` is undefined if one of the two sides was not measured. */
export function barsOf(bars, result) {
  const ours = rowOf(result, OURS);
  return bars.map((bar) => {
    if (bar.exactness) {
      const beyond = ours?.beyondExact;
      return {
        text: 'error ≤ ½ ulp + 1e-8',
        value: beyond === undefined ? '–' : '',
        met: beyond === undefined ? undefined : beyond <= 0,
      };
    }
    if (bar.limit) {
      const share = ours?.median && result.flop / ours.median / 1e6 / result.microKernel;
      return {
        text: `${percent(bar.share)} of limit`,
        value: share ? percent(share) : '–',
        met: share && share >= bar.share,
      };
    }
    const fastest = Math.min(...bar.over.map((peer) => rowOf(result, peer)?.median ?? Infinity));
    const ratio = ours?.median && Number.isFinite(fastest) ? fastest / ours.median : undefined;
    return {
      text: `${Number(bar.ratio.toFixed(2))}× ${bar.as}`,
      value: ratio ? `${ratio.toFixed(2)}×` : '–',
      met: ratio && ratio >= bar.ratio,
    };
  });
}

const verdict = ({ text, value, met }) =>
  `${text}: ${value} ${met === undefined ? 'not measured' : met ? 'met' : 'NOT MET'}`.replace(/ +/g, ' ');

/** A line for each contender that threw or computed something wrong. */
export const failuresOf = (works) =>
  works.flatMap((work) => [
    ...(work.failed ? [`${work.name}: ${work.failed}`] : []),
    ...(work.rows ?? []).filter((row) => row.failed).map((row) => `${work.name}, ${row.peer}: ${row.failed}`),
  ]);

/** The milliseconds of all contenders, this library's ratios and bars, and what failed. */
export function rowTables(works) {
  const columns = COLUMNS.filter((peer) => works.some((work) => rowOf(work, peer)));
  const times = works.map((work) => [
    work.title,
    ...columns.map((peer) => {
      const row = rowOf(work, peer);
      if (!row) return '–';
      return row.failed ? 'failed' : `${ms(row.median)} (${ms(row.min)})`;
    }),
  ]);
  const others = columns.filter((peer) => peer !== OURS);
  const ratios = works.map((work) => {
    const ours = rowOf(work, OURS);
    const rate = ours?.median && work.flop ? work.flop / ours.median / 1e6 : undefined;
    return [
      work.title,
      rate ? rate.toFixed(1) : '–',
      work.microKernel ? work.microKernel.toFixed(1) : '–',
      rate ? percent(rate / work.microKernel) : '–',
      ...others.map((peer) => {
        const theirs = rowOf(work, peer)?.median;
        return ours?.median && theirs ? (theirs / ours.median).toFixed(2) : '–';
      }),
    ];
  });
  const ratesOf = (title, amountOf) => {
    const rows = works.filter(amountOf).map((work) => [
      work.title,
      ...columns.map((peer) => {
        const row = rowOf(work, peer);
        return row?.median ? (amountOf(work) / row.median).toFixed(1) : '–';
      }),
    ]);
    return rows.length ? [title, table(['', ...columns], rows)] : [];
  };
  const bars = works.flatMap((work) => work.bars.map((bar) => [work.title, verdict(bar)]));
  const failures = failuresOf(works);
  const busy = works.filter((work) => work.share < 0.9).map((work) => work.name);
  return [
    '\nMilliseconds per call: median (min)',
    table(['', ...columns], times),
    ...ratesOf('\nNominal GFLOP/s (masked work counts)', (work) => work.flop / 1e6),
    ...ratesOf('\nTokens per second', (work) => 1000 * work.tokens),
    '\nThis library: GFLOP/s; the limit (the 4×8 micro-kernel in L1 on one thread, in the same rounds) and the share of it; how many times as fast as …',
    table(['', 'GFLOP/s', 'limit', 'share', ...others.map((peer) => `× ${peer}`)], ratios),
    ...(bars.length ? ['\nBars', table(['', ''], bars).split('\n').slice(2).join('\n')] : []),
    ...(failures.length ? ['\nFailed', ...failures] : []),
    ...(busy.length
      ? [
          `\nThe machine was busy with something else for more than a tenth of the time (try --clock cpu): ${busy.join(', ')}`,
        ]
      : []),
  ].join('\n');
}

export function limitsTable(limits) {
  if (limits.failed) return `limits: ${limits.failed}`;
  return [
    '\nLimits of this engine here',
    `multiply–add from registers  ${limits.multiplyAdd.toFixed(1)} GFLOP/s`,
    `4×8 micro-kernel in L1       ${limits.microKernel.toFixed(1)} GFLOP/s`,
    ...(limits.microKernelFused
      ? [
          `fused, from registers        ${limits.multiplyAddFused.toFixed(1)} GFLOP/s`,
          `fused micro-kernel in L1     ${limits.microKernelFused.toFixed(1)} GFLOP/s`,
        ]
      : []),
    `copy inside wasm memory      ${limits.copy.toFixed(1)} GB/s`,
    `64 MB out of wasm memory     ${limits.slice.toFixed(1)} GB/s into a fresh Float32Array`,
  ].join('\n');
}

export function coldTable(cold) {
  if (cold.failed) return `\ncold: failed: ${cold.failed}`;
  const [nothing, ...libraries] = cold.rows;
  const rows = libraries.map((row) => [row.name, ms(row.import), ms(row.result), ms(row.min), ms(row.cpu)]);
  const ours = libraries.find(({ name }) => name === OURS);
  return [
    `\nCold start: one small attention in a fresh process, medians of ${cold.rounds} (ms); Node itself takes ${ms(nothing.start)}`,
    table(['', 'import', 'import to result', 'least', 'processor time'], rows),
    `import to result ≤ ${cold.bar} ms: ${ms(ours.result)} ${ours.result <= cold.bar ? 'met' : 'NOT MET'}`,
  ].join('\n');
}

export function longTable(long) {
  if (long.failed) return `\nn = 32768, d = 64, one head: failed: ${long.failed}`;
  const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  const met = long.grown <= long.allowed && long.errors <= 1;
  return [
    '\nn = 32768, d = 64, one head, no weights (one call, cold)',
    `${(long.ms / 1000).toFixed(2)} s, ${long.gflops.toFixed(1)} GFLOP/s; the wasm memory grew by ${mb(long.grown)} ` +
      `(bar: ≤ ${mb(long.allowed)} = 1.5 × (inputs + output) + 8 MB) ${met ? 'met' : 'NOT MET'}`,
  ].join('\n');
}

export function growthTables(growth) {
  if (growth.failed) return `\ngrowth: failed: ${growth.failed}`;
  const ways = ['full', 'causal', 'window'];
  const rowsOf = (rows, size) =>
    rows.map((row, i) => [
      row[size],
      ...ways.flatMap((way) => {
        // The exponent of the growth since the previous line: 2 is quadratic, 1 is linear.
        const before = rows[i - 1];
        const power = before && Math.log(row[way] / before[way]) / Math.log(row[size] / before[size]);
        return [ms(row[way]), before ? power.toFixed(2) : ''];
      }),
    ]);
  const header = (size) => [size, 'full', '^', 'causal', '^', `window ${growth.window}`, '^'];
  return [
    '\nOne head, d = 64: milliseconds against n; ^ is the power of n by which time grew since the previous line',
    table(header('n'), rowsOf(growth.byLength, 'n')),
    ...(growth.byWidth.length
      ? ['\nOne head, n = 1024: milliseconds against d', table(header('d'), rowsOf(growth.byWidth, 'd'))]
      : []),
  ].join('\n');
}

export function driftTable(drift) {
  if (drift.failed) return `\ndrift: failed: ${drift.failed}`;
  const number = (value, digits) => (value === null || Number.isNaN(value) ? '-' : value.toFixed(digits));
  const rows = drift.map(({ folder, weightType, cosine, flips, divergence }) => [
    folder,
    weightType,
    number(cosine, 5),
    number(flips === null ? null : 1000 * flips, 0),
    number(divergence, 6),
  ]);
  return [
    '\nAgainst float32: the least cosine of hidden states, tokens of 1,000 with another most likely successor, and the mean',
    'KL divergence in nats. Only stories260K has been trained; the weights of the others are random.',
    table(['', '', 'cosine', 'changed', 'divergence'], rows),
  ].join('\n');
}

export function openingTable(opening) {
  if (opening.failed) return `\nopening: failed: ${opening.failed}`;
  const megabytes = (bytes) => Math.round(bytes / 1e6);
  const rows = opening.map(({ weightType, ms, parameters, heap, peak, beyond, allowed }) => [
    weightType,
    (ms / 1000).toFixed(1),
    ...[parameters, heap, peak, beyond, allowed].map(megabytes),
    beyond <= allowed ? 'ok' : 'MISSED',
  ]);
  return [
    `\nOpening ${megabytes(opening[0].size)} MB of bfloat16 from a server on this machine, in a fresh process. Memory in MB: parameters, wasm`,
    "memory, the process at most, the same beyond a tiny model's, and its bar: 1.15 × parameters + 16 MB + the largest tensor.",
    table(['', 's', 'parameters', 'wasm', 'process', 'beyond', 'bar', ''], rows),
  ].join('\n');
}

export function openingGgufTable({ failed, size, rows }) {
  if (failed) return `\nopening GGUF: failed: ${failed}`;
  const { median: bar } = rows.find(({ name }) => name === 'wllama');
  const cells = rows.map(({ name, median, least }) => [
    name,
    ...[median, least].map((ms) => (ms / 1000).toFixed(2)),
    name === 'wllama' ? '' : median <= bar ? 'ok' : 'MISSED',
  ]);
  return [
    '\nOpening 135 million parameters in Chromium from a server on this machine, on one thread: median and least, s; the bar is wllama',
    `with ${Math.round(size / 1e6)} MB of Q8_0`,
    table(['', 'median', 'least', ''], cells),
  ].join('\n');
}

export function firstEmbeddingTable({ failed, seconds, parts, bar }) {
  if (failed) return `\nfirst embedding: failed: ${failed}`;
  const rows = parts.map(({ name, files, bytes }) => [name, files, (bytes / 1000).toFixed(1)]);
  const met = parts[0].bytes <= bar ? 'ok' : 'MISSED';
  return [
    `\nFrom nothing to the first embedding: ${seconds.toFixed(1)} s in Chromium over a line of 1.6 Mb/s and 150 ms, kB with brotli; the library's`,
    `bar is ${bar / 1000} kB: ${met}`,
    table(['', 'files', 'kB'], rows),
  ].join('\n');
}

export function firstPictureTable({ failed, steps, results, bar }) {
  if (failed) return `\nfirst picture: failed: ${failed}`;
  const ms = (time) => time.toFixed(0);
  const rows = results.map(({ threads, steps: times, all }) => [
    threads,
    ...times.map(ms),
    ms(all),
    all <= bar ? 'ok' : 'MISSED',
  ]);
  return [
    '\nFrom a JPEG of 1600 × 1200 to the maps of all heads of a layer in Chromium: a ViT-S/16 of random numbers (224², 12 × 384), float32,',
    `medians, ms; the bar is ${bar} ms`,
    table(['threads', ...steps, 'all', ''], rows),
  ].join('\n');
}

export function proofTable({ failed, rows, seconds }) {
  if (failed) return `\nproof: failed: ${failed}`;
  const cells = rows.map(({ name, page, bench }) => {
    const ratio = page / bench;
    return [name, ms(page), ms(bench), ratio.toFixed(2), Math.abs(Math.log(ratio)) <= Math.log(1.15) ? 'ok' : 'MISSED'];
  });
  return [
    `\nThe proof page and this benchmark in Chromium, medians in ms, the best of three runs; the bar is a difference of 15 %. The page took`,
    `${seconds.toFixed(0)} s at most.`,
    table(['', 'page', 'benchmark', 'ratio', ''], cells),
  ].join('\n');
}
