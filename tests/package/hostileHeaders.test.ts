/** Headers of .safetensors files that would take many times their bytes, in a process with little memory. */
import { spawnSync } from 'node:child_process';

const MEGABYTES = 12;
const repeated = (text: string): string => text.repeat(Math.ceil((MEGABYTES * 2 ** 20) / text.length));
const entry = '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}';
const objects = '{"a":';

it.each([
  ['nested objects', repeated(objects)],
  ['nested objects that end', repeated(objects) + '1' + repeated('}')],
  ['nested lists in an entry', `{"a":{"shape":${repeated('[')}`],
  ['nested objects in the metadata', `{"__metadata__":${repeated(objects)}`],
  ['many empty objects in an entry', `{"a":[${repeated('{},')}{}]}`],
  ['a shape of many axes', `{"a":{"shape":[${repeated('0,')}0]}}`],
  ['many empty lists in an entry', `{"a":{"shape":[${repeated('[],')}[]]}}`],
  ['many empty entries', `{${repeated('"a":{},')}"b":{}}`],
  ['many entries of one name', `{${repeated(`"a":${entry},`)}"b":{}}`],
])('%s', (_, header) => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { readSafetensors } from './dist/safetensors.js';
    const text = readFileSync(0);
    const file = new Uint8Array(8 + text.length);
    new DataView(file.buffer).setUint32(0, text.length, true);
    file.set(text, 8);
    try {
      readSafetensors(file);
    } catch (error) {
      console.log(error.name);
    }`;
  const flags = ['--max-old-space-size=64', '--input-type=module', '--eval', script];
  const { stdout, status } = spawnSync(process.execPath, flags, { input: header, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'RangeError\n' });
});
