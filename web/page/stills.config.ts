import { defineConfig } from 'vite';
import { ramps } from '../elements/vite-ramps.js';

/** The figures' exporter as one script that defines `exporter`: scripts/stills.mjs runs it in the built page. */
export default defineConfig({
  publicDir: false,
  plugins: [ramps()],
  build: {
    target: 'es2022',
    lib: { entry: 'web/elements/export-svg.ts', formats: ['iife'], name: 'exporter', fileName: 'exporter' },
  },
});
