'use client';

import { useEffect, useRef, useState } from 'react';
import 'wasm-attention/elements/head-viewer';
import 'wasm-attention/elements/positional-curves';
import 'wasm-attention/elements/positional-heatmap';
import { library } from './checks/library.js';
import { report } from './checks/report.js';
import { slim } from './checks/slim.js';
import { worker } from './checks/worker.js';

export default function Page() {
  const [text, setText] = useState('');
  const viewer = useRef(null);
  useEffect(() => {
    viewer.current.loadArrays({
      weights: [
        [1, 0],
        [0.5, 0.5],
      ],
      tokens: ['a', 'b'],
    });
    void report({ ...library((name) => fetch(`/stories260K/${name}`)), ...slim, ...worker }).then(setText);
  }, []);
  return (
    <main>
      <positional-heatmap length="30" width="16" suppressHydrationWarning />
      <head-viewer ref={viewer} suppressHydrationWarning />
      {text && <positional-curves length="30" width="16" columns="4 5" />}
      <output>{text}</output>
    </main>
  );
}
