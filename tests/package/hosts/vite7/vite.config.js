export default {
  optimizeDeps: { exclude: ['wasm-attention'] },
};
