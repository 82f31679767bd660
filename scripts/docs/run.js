// Runs a guide's program where it is read: a button below each block runs it, after the blocks before it.
// scripts/docs.mjs adds this script to pages, and an import map with what programs import.
const codes = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('pre > code.js'));
const blocks = Array.from(codes, (code) => {
  const pre = /** @type {HTMLElement} */ (code.parentElement);
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'run',
    textContent: 'Run',
  });
  const output = Object.assign(document.createElement('output'), { className: 'printed', hidden: true });
  pre.after(button, output);
  return { code, button, output };
});

/** Where the program prints. */
let current = blocks[0]?.output;
/** What a program sees as its console, and a function that tells where it is. */
const guide = {
  log: (/** @type {unknown[]} */ ...words) => {
    if (current) current.textContent += `${words.join(' ')}\n`;
  },
  enter: (/** @type {number} */ index) => {
    current = blocks[index]?.output;
    if (current) Object.assign(current, { textContent: '', hidden: false });
  },
};
Object.assign(globalThis, { guide });

/** @param {number} last */
async function run(last) {
  for (const { button } of blocks) button.disabled = true;
  // Lines end with <br>, which innerText has once TypeDoc shows the page.
  const parts = blocks.slice(0, last + 1).map(({ code }, index) => `guide.enter(${index});\n${code.innerText}`);
  const module = new Blob([`const console = guide;\n${parts.join('\n')}`], { type: 'text/javascript' });
  const url = URL.createObjectURL(module);
  try {
    await import(url);
  } catch (error) {
    guide.log(String(error));
  } finally {
    URL.revokeObjectURL(url);
    for (const { button } of blocks) button.disabled = false;
  }
}

blocks.forEach(({ button }, index) => button.addEventListener('click', () => void run(index)));
