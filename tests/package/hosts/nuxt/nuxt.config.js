export default defineNuxtConfig({
  vite: { optimizeDeps: { exclude: ['wasm-attention'] } },
  vue: { compilerOptions: { isCustomElement: (tag) => tag.includes('-') } },
});
