import type { Failures } from '../common/validation/failures';
import { submit } from '../common/validation/submission';
import { isObject } from '../common/validation/values';
import { UpdateExperiment } from '../experiments/experiment.dto';
import { MAX_VARIATIONS, UpdateVariation } from '../experiments/variations/variation.record';
import { UpdateProject } from '../projects/project.record';
import { UpdateProjectSettings } from '../projects/settings/project-settings.record';
import { UpdateEnvironment } from '../resources/environments/environment.record';
import { ENVIRONMENTS } from '../resources/environments/environments.resource';
import { MAX_ITEMS } from './definition';
import {
  DEFINED,
  type DefinitionField,
  fieldsIn,
  OF_EXPERIMENT,
  PROJECT_FIELDS,
  SETTINGS_FIELDS,
  VARIATION_FIELDS,
} from './definition-fields';
import { refuseUnknown } from './item-body';

/** The fields of an object in a document, and the body that checks their values. */
interface Checked {
  fields: readonly DefinitionField[];
  body: new () => object;
  others?: readonly string[];
}

/** Parts of a document that are one object. */
const OBJECTS: ReadonlyMap<string, Checked> = new Map([
  ['project', { fields: PROJECT_FIELDS, body: UpdateProject }],
  ['settings', { fields: SETTINGS_FIELDS, body: UpdateProjectSettings }],
]);

/** Parts of a document that are lists, with what each entry is. */
const LISTS: ReadonlyMap<string, Checked> = new Map([
  // Their routes are their own, so their declaration has no bodies.
  [ENVIRONMENTS.collection, { fields: fieldsIn(ENVIRONMENTS.collection), body: UpdateEnvironment }],
  ...DEFINED.flatMap(({ collection, writes }): [string, Checked][] =>
    writes === undefined ? [] : [[collection, { fields: fieldsIn(collection), body: writes.update }]],
  ),
  ['experiments', { fields: fieldsIn('experiments'), body: UpdateExperiment, others: OF_EXPERIMENT }],
]);

const VARIATION: Checked = { fields: VARIATION_FIELDS, body: UpdateVariation };

/** The number of objects that are checked at once, while all other requests wait: for some tenths of a second. */
const MAX_CHECKED = 1_000;

/**
 * Checks the fields of a document whose structure is invalid, and which is therefore not applied: unknown fields, and
 * values that are invalid in every project. References and required fields depend on the project. The objects of a
 * long document after the first 1,000 are left to the check of a valid structure.
 */
export function checkFields(document: Readonly<Record<string, unknown>>, failures: Failures): void {
  const refused = new Set(failures.all.map(({ path }) => path));
  let count = 0;
  for (const [path, item, checked] of entriesOf(document)) {
    count += 1;
    if (count > MAX_CHECKED) {
      return;
    }
    if (isObject(item)) {
      checkObject(path, item, checked, refused, failures);
    }
  }
}

type Entry = [path: string, item: unknown, checked: Checked];

function* entriesOf(document: Readonly<Record<string, unknown>>): Generator<Entry> {
  for (const [part, checked] of OBJECTS) {
    yield [part, document[part], checked];
  }
  for (const [section, checked] of LISTS) {
    for (const entry of entriesIn(section, document[section], MAX_ITEMS, checked)) {
      yield entry;
      const [path, item] = entry;
      if (section === 'experiments' && isObject(item)) {
        yield* entriesIn(`${path}.variations`, item.variations, MAX_VARIATIONS, VARIATION);
      }
    }
  }
}

/** None for a list that is too long, which has an error of its own. */
const entriesIn = (path: string, list: unknown, max: number, checked: Checked): Entry[] =>
  Array.isArray(list) && list.length <= max
    ? list.map((item: unknown, index) => [`${path}.${index}`, item, checked])
    : [];

/** @param refused the paths that have an error already */
function checkObject(
  path: string,
  item: Readonly<Record<string, unknown>>,
  { fields, body, others = [] }: Checked,
  refused: ReadonlySet<string>,
  failures: Failures,
): void {
  refuseUnknown(path, item, [...fields.map(({ name }) => name), ...others], failures);
  const plain = fields.filter(({ name, references }) => references === null && Object.hasOwn(item, name));
  const sent = Object.fromEntries(plain.map(({ name, column }) => [column, item[name]]));
  const found = submit(body, null, sent).failures().all;
  failures.addAll(
    path,
    found.filter((failure) => !refused.has(`${path}.${failure.path}`)),
  );
}
