/** The entry from which setup.mjs bundles TensorFlow.js for browsers. */
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';

export * as tf from '@tensorflow/tfjs-core';
export * as backend from '@tensorflow/tfjs-backend-wasm';
