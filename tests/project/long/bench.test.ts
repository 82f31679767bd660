/** The benchmark's command line, rows and tables, without any measurement. */
import { evaluate, run } from '../../package/support.js';

interface Options {
  names: string[];
  peers: string[];
  threads: number;
  rounds: number;
  browser: boolean;
  scaling?: number[];
}

/** The parsed command line. */
function parse(...args: string[]): Options {
  return evaluate(`
    import { parse } from './tests/bench/options.mjs';
    console.log(JSON.stringify(parse(${JSON.stringify(args)})));
  `) as Options;
}

describe('options', () => {
  it('measure work that only this library does in runs about that', () => {
    const { names, peers, browser, scaling } = parse();
    expect(names).toEqual(expect.arrayContaining(['limits', 'cold', 'long', 'growth', 'attention-512']));
    expect(names).not.toContain('cross-entropy');
    expect(peers).toContain('ort');
    expect([browser, scaling]).toEqual([false, undefined]);
    expect(parse('--relaxed').names).toContain('cross-entropy');
  });

  it('do not measure cold starts in a browser', () => {
    const { names, browser, peers } = parse('--browser');
    expect(browser).toBe(true);
    expect(names).not.toContain('cold');
    expect(names).toEqual(expect.arrayContaining(['limits', 'long', 'growth', 'attention-512']));
    expect(peers).toContain('tfjs');
    expect(parse('--browser', '--quick').names).not.toContain('cold');
  });

  it('measure language models in float16 in a browser, where their only peer runs', () => {
    const { names, peers } = parse('--browser');
    expect(names).toEqual(expect.arrayContaining(['smollm2-token-float16', 'smollm2-token-int8']));
    expect(peers).toContain('wllama');
    const node = parse();
    expect(node.names).toContain('smollm2-token-int8');
    expect(node.names).not.toContain('smollm2-token-float16');
    expect(node.peers).not.toContain('wllama');
    expect(parse('--browser', '--quick').names).not.toContain('smollm2-token-int8');
    expect(parse('--work', 'smollm2-token-*').names).toHaveLength(3);
  });

  it('measure scaling without any other library', () => {
    const { names, peers, scaling } = parse('--scaling');
    expect(peers).toEqual([]);
    expect(scaling?.slice(0, 1)).toEqual([2]);
    expect(names).toEqual(expect.arrayContaining(['matmul-1024', 'mha-1x512x768', 'training', 'cross-entropy']));
    expect(names).not.toContain('limits');
    const quick = parse('--scaling', '--quick');
    expect(quick.rounds).toBe(5);
    expect(names).toEqual(expect.arrayContaining(quick.names));
    expect(parse('--scaling', '--work', 'attention-128').names).toEqual(['attention-128']);
  });

  it.each([
    ['--browser --work cold', '--browser: expected rows without cold'],
    ['--browser --clock cpu', '--browser: expected wall time'],
    ['--scaling --peers ort', '--scaling: expected this library alone'],
    ['--scaling --threads 2', '--scaling: expected no --threads'],
    ['--scaling --clock cpu', '--scaling: expected wall time'],
    ['--threads 0', '--threads: expected a whole number from 1, got 0'],
    ['--work nothing', '--work: expected one of'],
    ['--peers nobody', '--peers: expected some of'],
  ])('%s is refused in a line, with the usage', (args, message) => {
    const { status, stdout, stderr } = run('node', ['tests/bench/run.mjs', ...args.split(' ')]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`bench: ${message}`);
    expect(stderr).toContain('usage: npm run bench');
  });
});

describe('bars', () => {
  const bars = (name: string, options: object): unknown =>
    evaluate(`
      import { barsFor } from './tests/bench/bars.mjs';
      import { works } from './tests/bench/works.mjs';
      const work = works.find(({ name }) => name === '${name}');
      const options = { threads: 1, relaxed: false, browser: false, ...${JSON.stringify(options)} };
      console.log(JSON.stringify(barsFor(work, options).map(({ as, ratio }) => [as, ratio])));
    `);

  it('of attention in a browser compare with its peer, for any number of threads', () => {
    const ort = ['ort', 1.5];
    expect(bars('attention-128', { browser: true })).toEqual([ort]);
    expect(bars('attention-512-causal', { browser: true, threads: 2 })).toEqual([['one thread', 1.8], ort]);
    expect(bars('textbook', { browser: true })).toEqual([['ort', 2]]);
  });

  it('of threads are high for large work, and nothing may become slower', () => {
    expect(bars('mha-1x512x768', { threads: 2 })).toEqual([
      ['one thread', 1.8],
      ['ort', 1.45],
    ]);
    expect(bars('attention-512-causal', { threads: 2 })).toContainEqual(['ort', 2.6]);
    expect(bars('attention-512-alibi', { threads: 2 })).toEqual([['one thread', 0.95]]);
    expect(bars('softmax', { threads: 2 })).toEqual([['one thread', 0.95]]);
  });
});

describe('the tables of rows', () => {
  it('have tokens per second of language models only', () => {
    const rows = [
      { peer: 'wasm-attention', median: 400, min: 390 },
      { peer: 'wllama', median: 1600, min: 1500 },
    ];
    const text = evaluate(`
      import { rowTables } from './tests/bench/report.mjs';
      const rows = ${JSON.stringify(rows)};
      const works = [
        { name: 'a', title: 'a model', tokens: 128, rows, bars: [] },
        { name: 'b', title: 'a product', flop: 8e8, rows: rows.slice(0, 1), bars: [] },
      ];
      console.log(JSON.stringify(rowTables(works)));
    `) as string;
    const tableOf = (title: string): string[][] =>
      text
        .split(`\n${title}`)[1]!
        .split('\n\n')[0]!
        .split('\n')
        .slice(3)
        .map((line) => line.split(/ {2,}/));
    expect(tableOf('Tokens per second')).toEqual([['a model', '320.0', '80.0']]);
    expect(tableOf('Nominal GFLOP/s')).toEqual([['a product', '2.0', '–']]);
  });
});

describe('the table of scaling', () => {
  it('has medians, minima, verdicts and failures', () => {
    const rows = [
      { peer: '1', median: 30, min: 20 },
      { peer: '2', median: 15, min: 10.4 },
      { peer: '4', failed: 'it threw' },
    ];
    const text = evaluate(`
      import { scalingTable } from './tests/bench/scaling.mjs';
      const rows = ${JSON.stringify(rows)};
      const works = [
        { name: 'matmul-1024', title: 'large', rows },
        { name: 'softmax', title: 'small', rows: [rows[0], { ...rows[1], median: 33 }] },
        { name: 'training', title: 'lost', failed: 'its process ended: 1' },
      ];
      console.log(JSON.stringify(scalingTable(works, [2, 4])));
    `) as string;
    const line = (title: string): string[] =>
      text
        .split('\n')
        .find((one) => one.startsWith(title))!
        .split(/ {2,}/);
    expect(line('large')).toEqual(['large', '30.0', '2.00', '1.92', '1.80 met', '–', '–', 'not measured']);
    expect(line('small').slice(0, 5)).toEqual(['small', '30.0', '0.91', '1.92', '0.95 NOT MET']);
    expect(line('lost')[1]).toBe('–');
    expect(text).toContain('matmul-1024, 4: it threw');
    expect(text).toContain('training: its process ended: 1');
  });
});
