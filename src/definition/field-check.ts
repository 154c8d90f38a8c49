import type { Failures } from '../common/validation/failures';
import { submit } from '../common/validation/submission';
import { isObject } from '../common/validation/values';
import { UpdateExperiment } from '../experiments/experiment.dto';
import { UpdateVariation } from '../experiments/variations/variation.dto';
import { UpdateProject } from '../projects/project.dto';
import { UpdateProjectSettings } from '../projects/settings/project-settings.dto';
import { UpdateEnvironment } from '../resources/environments/environment.dto';
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

const PARTS: ReadonlyMap<string, Checked> = new Map([
  ['project', { fields: PROJECT_FIELDS, body: UpdateProject }],
  ['settings', { fields: SETTINGS_FIELDS, body: UpdateProjectSettings }],
]);

const SECTIONS: ReadonlyMap<string, Checked> = new Map([
  ...DEFINED.map(({ collection, writes }): [string, Checked] => [
    collection,
    { fields: fieldsIn(collection), body: writes?.update ?? UpdateEnvironment },
  ]),
  ['experiments', { fields: fieldsIn('experiments'), body: UpdateExperiment, others: OF_EXPERIMENT }],
]);

const VARIATION: Checked = { fields: VARIATION_FIELDS, body: UpdateVariation };

/**
 * Checks the fields of a document whose structure is invalid, and which is therefore not applied: unknown fields, and
 * values that are invalid in every project. References and required fields depend on the project.
 */
export function checkFields(document: Readonly<Record<string, unknown>>, failures: Failures): void {
  for (const [part, checked] of PARTS) {
    checkObject(part, document[part], checked, failures);
  }
  for (const [section, checked] of SECTIONS) {
    for (const [path, item] of entriesAt(section, document[section])) {
      checkObject(path, item, checked, failures);
      const variations = section === 'experiments' && isObject(item) ? item.variations : [];
      for (const [place, variation] of entriesAt(`${path}.variations`, variations)) {
        checkObject(place, variation, VARIATION, failures);
      }
    }
  }
}

/** None for lists that are too long, which have an error of their own. */
const entriesAt = (path: string, list: unknown): [string, unknown][] =>
  Array.isArray(list) && list.length <= MAX_ITEMS
    ? list.map((entry: unknown, index) => [`${path}.${index}`, entry])
    : [];

function checkObject(
  path: string,
  item: unknown,
  { fields, body, others = [] }: Checked,
  failures: Failures,
): void {
  if (!isObject(item)) {
    return;
  }
  refuseUnknown(path, item, [...fields.map(({ name }) => name), ...others], failures);
  const plain = fields.filter(({ name, references }) => references === null && Object.hasOwn(item, name));
  const sent = Object.fromEntries(plain.map(({ name, column }) => [column, item[name]]));
  const found = submit(body, null, sent).failures().all;
  failures.addAll(
    path,
    found.filter((failure) => !failures.has(`${path}.${failure.path}`)),
  );
}
