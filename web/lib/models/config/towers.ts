/** Checkpoints with two towers, of which one is opened. */
import { wrongUse, wrongValue } from '../../check/values.js';
import { OPERATION, type Architecture } from './architecture.js';
import { classNameOf, Fields, labelsOf } from './fields.js';
import { checkUnread } from './unread.js';

type Family = (fields: Fields) => Architecture;

/**
 * Reads the config of the part that is to be opened.
 *
 * @param towers the families of the parts that can be opened
 * @param whole what models of both parts have in addition; classifiers of pictures have only one
 */
export function towerOf(
  fields: Fields,
  towers: { readonly vision: Family; readonly text?: Family },
  whole: (tower: Architecture) => Architecture,
): Architecture {
  const className = classNameOf(fields);
  const family = String(fields.get('model_type'));
  const isClassifier = className.endsWith('ForImageClassification');
  const wanted =
    fields.part ?? (isClassifier ? 'vision' : wrongUse(OPERATION, `part 'vision' or 'text' of ${family}`, 'none'));
  const read = isClassifier && wanted === 'text' ? undefined : towers[wanted];
  if (!read) return wrongValue(OPERATION, `part to be 'vision' for ${className || family}`, `'${wanted}'`);
  const name = `${wanted}_config`;
  // What old files have twice counts as it is in the dict.
  const tower = fields.object(`${name}_dict`) ?? fields.object(name) ?? new Fields({}, `config.${name}.`);
  const all = read(tower);
  checkUnread(tower, all);
  const own = { ...all, family, className, isPart: true, labels: labelsOf(fields) };
  return isClassifier ? own : whole(own);
}
