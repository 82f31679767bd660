export default {
  serverExternalPackages: ['wasm-attention'],
};
