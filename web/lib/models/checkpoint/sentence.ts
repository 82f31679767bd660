/** What modules.json of sentence-transformers lists. */
import { wrongValue } from '../../check/values.js';
import { OPERATION } from './folder.js';
import type { SentenceModules, WeightFile } from './types.js';

const FILE = 'modules.json';
/** The modules, in the order in which they may come. */
const ORDER = /^Transformer( Pooling)?( Dense)*( Normalize)?$/;

interface Module {
  readonly type: string;
  readonly path: string;
}

/**
 * Finds the files of the modules.
 *
 * @param json reads a file that has to be there
 * @throws RangeError for other modules, or another order
 */
export async function sentenceModules(
  list: unknown,
  json: (path: string) => Promise<unknown>,
  weights: (path: string) => Promise<WeightFile>,
): Promise<SentenceModules> {
  const modules = modulesOf(list);
  const types = modules.map(({ type }) => type).join(' ');
  if (!ORDER.test(types))
    wrongValue(OPERATION, `${FILE} with Transformer, Pooling, Dense and Normalize, in this order`, types);
  const paths = (wanted: string) => modules.flatMap(({ type, path }) => (type === wanted ? [path] : []));
  const [transformer] = paths('Transformer');
  if (transformer !== '') wrongValue(OPERATION, `${FILE} with its Transformer in the top folder`, transformer);
  const [pooling] = paths('Pooling');
  const dense = await Promise.all(
    paths('Dense').map(async (path) => ({
      config: await json(`${path}/config.json`),
      weights: await weights(`${path}/model.safetensors`),
    })),
  );
  return {
    ...(pooling !== undefined && { pooling: await json(`${pooling}/config.json`) }),
    ...(dense.length > 0 && { dense }),
    ...(paths('Normalize').length > 0 && { normalize: true }),
  };
}

function modulesOf(list: unknown): Module[] {
  if (!Array.isArray(list)) return wrongValue(OPERATION, `${FILE} to be a list`, list);
  const modules = (list as unknown[]).map((given, i) => {
    const { idx = i, type, path } = Object(given) as { idx?: unknown; type?: unknown; path?: unknown };
    if (typeof idx !== 'number') wrongValue(OPERATION, `idx of module ${i} in ${FILE} to be a number`, idx);
    if (typeof type !== 'string') wrongValue(OPERATION, `type of module ${i} in ${FILE} to be a name`, type);
    // Not a folder beside or above the checkpoint.
    if (typeof path !== 'string' || !/^([\w-][\w.-]*)?$/.test(path)) {
      return wrongValue(OPERATION, `path of module ${i} in ${FILE} to be a folder's name`, path);
    }
    // sentence_transformers.models.Pooling, for instance.
    return { idx, type: type.replace(/.*\./s, ''), path };
  });
  return modules.sort((a, b) => a.idx - b.idx);
}
