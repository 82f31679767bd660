import resolve from '@rollup/plugin-node-resolve';

export default {
  input: {
    app: './app.js',
    'worker-thread': 'wasm-attention/worker-thread',
    thread: 'wasm-attention/thread',
    'complexity-race-worker': 'wasm-attention/elements/complexity-race-worker',
    'training-worker': 'wasm-attention/elements/training-worker',
  },
  output: { dir: 'built', entryFileNames: '[name].js' },
  plugins: [resolve()],
};
