import { Failures, unknownField } from '../common/validation/failures';
import { runCheck } from '../common/validation/fields';
import { oneOf } from '../common/validation/checks';
import { API_NAME } from '../common/text/names';
import { submit } from '../common/validation/submission';
import { isObject, isTooDeep, MAX_DEPTH } from '../common/validation/values';
import { STATUSES } from '../experiments/experiment-status';
import { UpdateExperiment } from '../experiments/experiment.dto';
import { MAX_VARIATIONS, UpdateVariation } from '../experiments/variations/variation.record';
import { UpdateProject } from '../projects/project.record';
import { UpdateProjectSettings } from '../projects/settings/project-settings.record';
import { UpdateEnvironment } from '../resources/environments/environment.record';
import { ENVIRONMENTS } from '../resources/environments/environments.resource';
import { FORMAT, MAX_ITEMS } from './definition';
import {
  DEFINED,
  type DefinitionField,
  fieldsIn,
  OF_EXPERIMENT,
  PROJECT_FIELDS,
  SECTIONS,
  SETTINGS_FIELDS,
  VARIATION_FIELDS,
} from './definition-fields';
import { refuseUnknown } from './item-body';

/** The fields of an object in a document, and the request body that validates their values. */
interface Checked {
  fields: readonly DefinitionField[];
  body: new () => object;
  others?: readonly string[];
}

/** Parts of a document that consist of one object. */
const OBJECTS: ReadonlyMap<string, Checked> = new Map([
  ['project', { fields: PROJECT_FIELDS, body: UpdateProject }],
  ['settings', { fields: SETTINGS_FIELDS, body: UpdateProjectSettings }],
]);

/** Parts of a document that are lists, with the declaration of their entries. */
const LISTS: ReadonlyMap<string, Checked> = new Map([
  // Environments have their own routes, so their declaration has no request bodies.
  [ENVIRONMENTS.collection, { fields: fieldsIn(ENVIRONMENTS.collection), body: UpdateEnvironment }],
  ...DEFINED.flatMap(({ collection, writes }): [string, Checked][] =>
    writes === undefined ? [] : [[collection, { fields: fieldsIn(collection), body: writes.update }]],
  ),
  ['experiments', { fields: fieldsIn('experiments'), body: UpdateExperiment, others: OF_EXPERIMENT }],
]);

const VARIATION: Checked = { fields: VARIATION_FIELDS, body: UpdateVariation };

/**
 * Maximum number of objects that `checkFields` checks. Checking this many takes a few tenths of a second, during which
 * all other requests wait.
 */
const MAX_CHECKED = 1_000;

/**
 * Checks the fields of a document that is not applied because its structure is invalid. Reports unknown fields, and
 * values that are invalid in every project. References and required fields are not checked, because they depend on the
 * project. In a long document, objects after the first 1,000 are checked only once the structure is valid.
 */
function checkFields(document: Readonly<Record<string, unknown>>, failures: Failures): void {
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

/** The entries of a list; none if the list is too long, which is reported by a separate error. */
const entriesIn = (path: string, list: unknown, max: number, checked: Checked): Entry[] =>
  Array.isArray(list) && list.length <= max
    ? list.map((item: unknown, index) => [`${path}.${index}`, item, checked])
    : [];

/** Checks the fields of an object. @param refused the paths that already have an error */
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

const PARTS = ['version', 'project', 'settings', ...SECTIONS];

/**
 * A submitted definition with a valid structure. The fields of its items are not validated yet. Absent parts do not
 * change the project.
 */
export type DefinitionDocument = Readonly<Record<string, unknown>>;

/**
 * Checks the structure of a definition, meaning its parts and lists, and checks that each item has a unique api_name.
 * If the structure is invalid, all fields are also checked, so the error lists all failures together.
 * @param failures failures in the rest of the request
 * @throws ValidationError with paths such as `experiments.2.variations.0.api_name`
 */
export function parseDefinition(body: unknown, failures: Failures): DefinitionDocument {
  if (!isObject(body)) {
    failures.add('body', 'The body must be a JSON object.');
    failures.throwIfAny();
    return {};
  }
  if (isTooDeep(body, MAX_DEPTH)) {
    failures.add('body', `The document is nested deeper than ${MAX_DEPTH} levels.`);
    failures.throwIfAny();
  }
  for (const [part, value] of Object.entries(body)) {
    checkPart(part, value, failures);
  }
  const message = 'Another environment is already the default.';
  checkOne('environments', body.environments, 'is_default', message, failures);
  if (failures.any) {
    checkFields(body, failures);
    failures.throwIfAny();
  }
  return body;
}

/**
 * Rejects a list in which several entries set the field to true. They would be applied one after the other, and the
 * next plan would show a difference again.
 */
function checkOne(path: string, list: unknown, field: string, message: string, failures: Failures): void {
  const items: unknown[] = Array.isArray(list) ? list : [];
  const places = [...items.entries()].flatMap(([index, item]) =>
    isObject(item) && item[field] === true ? [index] : [],
  );
  for (const index of places.slice(1)) {
    failures.add(`${path}.${index}.${field}`, message);
  }
}

function checkPart(part: string, value: unknown, failures: Failures): void {
  if (part === 'version') {
    if (value !== FORMAT) {
      failures.add(part, `The version must be ${FORMAT}, the version of the document format.`);
    }
  } else if (part === 'project' || part === 'settings') {
    if (!isObject(value)) {
      failures.add(part, `The ${part} must be an object.`);
    }
  } else if (SECTIONS.includes(part)) {
    checkItems(part, value, MAX_ITEMS, failures);
  } else {
    failures.add(part, unknownField(part, PARTS));
  }
}

function checkItems(path: string, value: unknown, max: number, failures: Failures): void {
  if (!Array.isArray(value)) {
    failures.add(path, 'It must be a list. Omit it to leave this part unchanged.');
    return;
  }
  if (value.length > max) {
    failures.add(path, `It may have at most ${max} entries.`);
    return;
  }
  const seen = new Map<string, number>();
  value.forEach((item: unknown, index) => {
    const place = `${path}.${index}`;
    if (!isObject(item)) {
      failures.add(place, 'Each entry must be an object.');
      return;
    }
    const { api_name: name } = item;
    checkApiName(place, path, name, seen, failures);
    if (typeof name === 'string' && !seen.has(name)) {
      seen.set(name, index);
    }
    if (path === 'experiments') {
      checkExperiment(place, item, failures);
    }
  });
}

function checkApiName(
  place: string,
  list: string,
  name: unknown,
  seen: ReadonlyMap<string, number>,
  failures: Failures,
): void {
  if (name === undefined || name === null) {
    failures.add(`${place}.api_name`, 'The api name field is required, because it identifies the entry.');
  } else if (typeof name !== 'string' || !API_NAME.test(name)) {
    failures.add(
      `${place}.api_name`,
      'The api name must consist of 1-64 lower-case letters, digits, _ or -, and begin with a letter or digit.',
    );
  } else if (seen.has(name)) {
    failures.add(`${place}.api_name`, `The api name is already used by ${list}.${seen.get(name)}.`);
  }
}

function checkExperiment(place: string, { status, variations }: Record<string, unknown>, failures: Failures) {
  if (status !== undefined) {
    failures.addAll(`${place}.status`, runCheck(oneOf(STATUSES), 'status', status));
  }
  if (variations !== undefined) {
    const path = `${place}.variations`;
    checkItems(path, variations, MAX_VARIATIONS, failures);
    checkOne(path, variations, 'is_original', 'Only one variation can be the original.', failures);
  }
}
