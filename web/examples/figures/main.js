// Follows the settings of one figure, and gives another one arrays.
const output = document.querySelector('output');
document.querySelector('rotary-pairs').addEventListener('figure-change', ({ detail }) => {
  output.textContent = `Changed: ${Object.entries(detail).join('; ')}`;
});

await customElements.whenDefined('head-viewer');
document.querySelector('head-viewer').loadArrays({
  weights: {
    data: new Float32Array([1, 0, 0, 0.5, 0.5, 0, 0.2, 0.3, 0.5, 1, 0, 0, 0.9, 0.1, 0, 0.8, 0.1, 0.1]),
    shape: [2, 3, 3],
  },
  tokens: ['three', 'words', 'here'],
});
