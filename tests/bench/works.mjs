/**
 * The rows of the table. `make` builds the problem: seeded inputs and a float64 check. `bars` are this library's
 * targets: `{ over, ratio }` to be at least `ratio` times as fast as the fastest of the peers in `over`, `{ limit, share }`
 * to reach at least that share of the micro-kernel's GFLOP/s. The peer `baseline` is this library without the feature
 * that the row is about. `alone`: no other library takes part. `browser`: the other library runs only there.
 */
import { attention } from './problems/attention.mjs';
import { decoding } from './problems/decoding.mjs';
import { attentionGradients, crossEntropy } from './problems/gradients.mjs';
import { gatedFeedForward, norm } from './problems/gated.mjs';
import { matmul } from './problems/matmul.mjs';
import { encoder, nextToken, opening, smolLM2, vision } from './problems/models.mjs';
import { multiHead, rotaryMultiHead } from './problems/multi-head.mjs';
import { positionedAttention, rotary } from './problems/positions.mjs';
import { addTable, softmax, table } from './problems/rows.mjs';
import { quantisedProduct } from './problems/quantised.mjs';
import { story } from './problems/story.mjs';
import { textbookAttention } from './problems/textbook.mjs';
import { training } from './problems/training.mjs';

export const ORT = ['ort', 'ort-attention', 'ort-mha'];
const EVERY_PEER = [...ORT, 'tfjs', 'javascript'];
/** onnxruntime-web's quantised products: MatMulInteger, DynamicQuantizeMatMul and MatMulNBits. */
export const ORT_INT8 = ['ort-integer', 'ort-dynamic', 'ort-nbits'];
const overOrt = (ratio) => [{ over: ORT, as: 'ort', ratio }];
const overOrtInt8 = (ratio) => ({ over: ORT_INT8, as: 'ort int8', ratio });
const overWllama = (ratio) => ({ over: ['wllama'], as: 'wllama', ratio });

const BASE = { layers: 12, width: 768, heads: 12, hiddens: 3072 };
const MINI_LM = { layers: 6, width: 384, heads: 12, hiddens: 1536 };
const VIT_S = { layers: 12, width: 384, heads: 6, hiddens: 1536 };
const GPT2 = { layers: 12, width: 768, heads: 12, vocabulary: 50257 };

const product = (size) => ({
  name: `matmul-${size}`,
  title: `matrix product ${size}³`,
  make: () => matmul({ m: size, k: size, n: size }),
  bars: [...overOrt(1.5), { limit: 'microKernel', share: 0.85 }],
});

const attentions = (heads, n, d, full, causal) =>
  [false, true].map((isCausal) => ({
    name: `attention-${n}${isCausal ? '-causal' : ''}`,
    title: `attention (1,${heads},${n},${d})${isCausal ? ' causal' : ''}`,
    make: () => attention({ heads, n, d, causal: isCausal }),
    bars: overOrt(isCausal ? causal : full),
  }));

const multiHeads = (batch, n, width, heads, bar, barWithWeights) =>
  [false, true].map((needWeights) => {
    const ratio = needWeights ? barWithWeights : bar;
    return {
      name: `mha-${batch}x${n}x${width}${needWeights ? '-weights' : ''}`,
      title: `multi-head (${batch},${n},${width},${heads})${needWeights ? ' weights' : ''}`,
      make: () => multiHead({ batch, n, width, heads, needWeights }),
      bars: ratio ? overOrt(ratio) : [],
    };
  });

export const works = [
  product(512),
  product(1024),
  ...[
    [512, 512, 512],
    [128, 768, 3072],
  ].map(([m, k, n]) => ({
    name: `int8-${m}x${k}x${n}`,
    title: `int8 product ${m}×${k}×${n} / float32`,
    make: () => quantisedProduct({ m, k, n }),
    bars: [{ over: ['baseline'], as: 'float32', ratio: 1 }, overOrtInt8(1.5)],
  })),
  ...attentions(8, 128, 64, 1.5, 2.3),
  ...attentions(8, 512, 64, 1.5, 2.8),
  ...attentions(12, 1024, 64, 1.5, 2.8),
  ...attentions(8, 4096, 64, 1.5, 2.8),
  ...multiHeads(1, 128, 256, 8, 1.4),
  ...multiHeads(1, 512, 768, 12, 1.45, 1.3),
  ...multiHeads(8, 128, 768, 12, 1.45, 1.3),
  {
    name: 'mha-turned',
    title: 'multi-head (1,512,768,12) normed, turned / plain',
    make: () => rotaryMultiHead({ n: 512, width: 768, heads: 12 }),
    bars: [{ over: ['baseline'], as: 'plain', ratio: 1 / 1.08 }],
  },
  {
    name: 'textbook',
    title: 'multi-head, textbook (2,4,100,5)',
    make: () => multiHead({ batch: 2, n: 4, width: 100, heads: 5, lengths: [3, 2] }),
    bars: overOrt(2),
  },
  ...[
    { length: 1000, width: 512, bar: { over: ['ort', 'tfjs', 'javascript'], as: 'fastest JS', ratio: 6 } },
    // Most of the time the system makes pages for the 41 MB, which a peer's result takes, too.
    { length: 10000, width: 1024, bar: { over: ['baseline'], as: 'a copy', ratio: 0.6 } },
  ].map(({ length, width, bar }) => ({
    name: `table-${length}`,
    title: `P of ${length}×${width}`,
    make: () => table({ length, width }),
    bars: [bar, { exactness: true }],
  })),
  {
    name: 'add-table',
    title: 'X + P, 32×512×512',
    make: () => addTable({ batch: 32, length: 512, width: 512 }),
    bars: [],
  },
  ...[false, true].map((masked) => ({
    name: `softmax${masked ? '-masked' : ''}`,
    title: `softmax 4096×4096${masked ? ' masked' : ''}`,
    make: () => softmax({ rows: 4096, cols: 4096, masked }),
    bars: [{ over: EVERY_PEER, as: 'fastest', ratio: 1 }],
  })),
  {
    name: 'decoding',
    title: 'one token, cache of 4096 (768, 12)',
    make: () => decoding({ past: 4096, width: 768, heads: 12 }),
    bars: overOrt(3),
  },
  {
    name: 'story',
    title: '256 greedy tokens of stories260K',
    make: () => story({ count: 256 }),
    // 3.8 times as fast as this peer is 6 times as fast as plain loops (peers/llama.mjs).
    bars: [{ over: ['javascript'], as: 'javascript', ratio: 3.8 }],
  },
  {
    name: 'story-worker',
    title: 'the same in a worker / here',
    make: () => story({ count: 256, worker: true }),
    bars: [{ over: ['baseline'], as: 'here', ratio: 0.8 }],
  },
  {
    name: 'bert',
    title: 'BERT, base size, 128 tokens',
    make: () => encoder({ ...BASE, tokens: 128 }),
    bars: [...overOrt(1.3), { limit: 'microKernel', share: 0.85 }],
  },
  {
    name: 'bert-weights',
    title: 'the same with all weights / without',
    make: () => encoder({ ...BASE, tokens: 128, needWeights: true }),
    bars: [{ over: ['baseline'], as: 'without', ratio: 1 / 1.25 }],
  },
  {
    name: 'bert-int8',
    title: 'the same with int8 / float32',
    make: () => encoder({ ...BASE, tokens: 128, weightType: 'int8' }),
    bars: [{ over: ['baseline'], as: 'float32', ratio: 1 }],
  },
  ...[1, 8].flatMap((batch) =>
    [16, 128].flatMap((tokens) => [
      {
        name: `minilm-${batch}x${tokens}`,
        title: `MiniLM sizes, ${batch} × ${tokens} tokens`,
        make: () => encoder({ ...MINI_LM, batch, tokens }),
        bars: overOrt(1.5),
      },
      {
        name: `minilm-${batch}x${tokens}-int8`,
        title: 'the same with int8',
        make: () => encoder({ ...MINI_LM, batch, tokens, weightType: 'int8' }),
        bars: [overOrtInt8(1.25)],
      },
    ]),
  ),
  {
    name: 'vit-s',
    title: 'ViT-S/16, a picture of 224²',
    make: () => vision({ ...VIT_S, side: 224, patch: 16 }),
    bars: overOrt(1.5),
  },
  {
    name: 'gpt2-token',
    title: 'GPT-2, a token after 512 / a sum of the bytes',
    make: () => nextToken({ ...GPT2, past: 512 }),
    bars: [{ over: ['baseline'], as: 'a sum', ratio: 0.8 }],
  },
  ...[
    ['float16', 1.6],
    ['int8', 2.5],
  ].flatMap(([weightType, ratio]) => [
    {
      name: `gpt2-token-${weightType}`,
      title: `the same with ${weightType} / float32`,
      make: () => nextToken({ ...GPT2, past: 512, weightType }),
      bars: [{ over: ['baseline'], as: 'float32', ratio }],
    },
    {
      name: `gpt2-token-${weightType}-sum`,
      title: `the same with ${weightType} / a sum of the bytes`,
      make: () => nextToken({ ...GPT2, past: 512, weightType, sum: true }),
      bars: [],
    },
  ]),
  ...[
    { weightType: 'float32', prompt: overOrt(1), token: overOrt(1) },
    { weightType: 'float16', prompt: [overWllama(8)], token: [overWllama(5)], browser: true },
    {
      weightType: 'int8',
      prompt: [overWllama(3), overOrtInt8(0.8)],
      token: [overWllama(2), overOrtInt8(1.5)],
    },
  ].flatMap(({ weightType, prompt, token, browser }) => [
    {
      name: `smollm2-prompt-${weightType}`,
      title: `SmolLM2-135M, 128 tokens, ${weightType}`,
      make: () => smolLM2({ past: 0, count: 128, weightType }),
      bars: prompt,
      browser,
    },
    {
      name: `smollm2-token-${weightType}`,
      title: `SmolLM2-135M, a token after 128, ${weightType}`,
      make: () => smolLM2({ past: 128, count: 1, weightType }),
      bars: token,
      browser,
    },
  ]),
  {
    name: 'opening',
    title: 'opening 100 MB / slice() of it',
    make: () => opening({ bytes: 1e8 }),
    bars: [{ over: ['baseline'], as: 'slice', ratio: 1 / 3 }],
  },
  {
    name: 'training',
    title: 'training step, 1 layer (32,32,64,4)',
    make: () => training(),
    bars: [{ over: ['tfjs'], as: 'tfjs', ratio: 3 }],
  },
  {
    name: 'attention-512-gradients',
    title: 'gradients of attention (1,8,512,64)',
    make: () => attentionGradients({ heads: 8, n: 512, d: 64 }),
    bars: [],
    alone: true,
  },
  {
    name: 'cross-entropy',
    title: 'cross entropy 4096×1000 and its gradient',
    make: () => crossEntropy({ rows: 4096, classes: 1000 }),
    bars: [],
    alone: true,
  },
  {
    name: 'attention-textbook',
    title: 'attention, textbook (2,1,2), 10 keys',
    make: () => textbookAttention(),
    bars: [],
    alone: true,
  },
  {
    name: 'rotary-micro',
    title: 'rotary (1,4,16,8)',
    make: () => rotary({ heads: 4, n: 16, d: 8 }),
    bars: [],
    alone: true,
  },
  {
    name: 'rotary-12x1024',
    title: 'rotary (1,12,1024,64) / a copy',
    make: () => rotary({ heads: 12, n: 1024, d: 64 }),
    bars: [{ over: ['baseline'], as: 'a copy', ratio: 0.7 }],
  },
  {
    name: 'attention-512-alibi',
    title: 'attention (1,8,512,64) ALiBi / without',
    make: () => positionedAttention({ heads: 8, n: 512, d: 64, alibi: true }),
    bars: [{ over: ['baseline'], as: 'without', ratio: 1 / 1.1 }],
  },
  {
    name: 'attention-512-shaw',
    title: 'attention (1,8,512,64) Shaw 16 / without',
    make: () => positionedAttention({ heads: 8, n: 512, d: 64, clip: 16 }),
    bars: [{ over: ['baseline'], as: 'without', ratio: 1 / 1.5 }],
  },
  {
    name: 'attention-512-sinks',
    title: 'attention (1,8,512,64) sinks / without',
    make: () => positionedAttention({ heads: 8, n: 512, d: 64, sinks: true }),
    bars: [{ over: ['baseline'], as: 'without', ratio: 1 / 1.03 }],
  },
  {
    name: 'attention-1024-packed',
    title: 'attention (1,8,1024,64) in 16 packed / one',
    make: () => positionedAttention({ heads: 8, n: 1024, d: 64, packed: 64 }),
    bars: [{ over: ['baseline'], as: 'one', ratio: 8 }],
  },
  {
    name: 'swiglu',
    title: 'SwiGLU, 512 tokens, 768 → 2048',
    make: () => gatedFeedForward({ rows: 512, width: 768, hiddens: 2048 }),
    bars: [{ limit: 'microKernel', share: 0.85 }],
    alone: true,
  },
  {
    name: 'rms-norm',
    title: 'RMSNorm 512×768 / LayerNorm',
    make: () => norm({ rows: 512, width: 768 }),
    bars: [{ over: ['baseline'], as: 'LayerNorm', ratio: 1.2 }],
  },
];

/** The rows of --quick, which take a minute: one of each kind, as small as possible. */
export const quick = [
  'matmul-512',
  'attention-128',
  'attention-512',
  'attention-512-causal',
  'mha-1x128x256',
  'textbook',
  'table-1000',
  'decoding',
  'rotary-12x1024',
];
export const quickPeers = ['ort', 'tfjs'];

/** The rows of --scaling: large works that threads share, works that they do not share, and calls of microseconds. */
export const scaling = [
  ...['matmul-1024', 'attention-512', 'attention-512-causal', 'attention-1024', 'attention-1024-causal'],
  ...['attention-4096', 'mha-1x512x768', 'attention-512-gradients', 'training', 'decoding', 'softmax', 'cross-entropy'],
  ...[
    'rotary-12x1024',
    'table-1000',
    'attention-128',
    'mha-1x128x256',
    'textbook',
    'attention-textbook',
    'rotary-micro',
  ],
];
