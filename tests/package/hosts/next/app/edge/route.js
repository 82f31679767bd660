import { library } from '../checks/library.js';
import { report } from '../checks/report.js';

export const runtime = 'edge';

export async function GET({ url }) {
  return new Response(await report(library((name) => fetch(new URL(`/stories260K/${name}`, url)))));
}
