export default {
  // The development server must leave the package's files where they are: they find the wasm, and the worker, beside them.
  optimizeDeps: { exclude: ['wasm-attention'] },
};
