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
import { type Definition, FORMAT, type Item, itemsIn, MAX_ITEMS, variationsOf } from './definition';
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
import { changedFields, refuseUnknown } from './item-body';

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
 * changed values that are invalid in every project. References and required fields are not checked, because they depend
 * on other parts of the document. In a long document, objects after the first 1,000 are checked only once the structure
 * is valid.
 */
function checkFields(
  document: Readonly<Record<string, unknown>>,
  current: Definition,
  failures: Failures,
): void {
  const refused = new Set(failures.all.map(({ path }) => path));
  let count = 0;
  for (const entry of entriesOf(document, current)) {
    count += 1;
    if (count > MAX_CHECKED) {
      return;
    }
    checkObject(entry, refused, failures);
  }
}

/** An object in a document. */
interface Entry {
  path: string;
  item: unknown;
  /** The project's current object; null for a new one. */
  current: Item | null;
  checked: Checked;
}

function* entriesOf(document: Readonly<Record<string, unknown>>, current: Definition): Generator<Entry> {
  for (const [part, checked] of OBJECTS) {
    yield { path: part, item: document[part], current: current[part] as Item, checked };
  }
  for (const [section, checked] of LISTS) {
    for (const entry of entriesIn(
      section,
      document[section],
      itemsIn(current, section),
      MAX_ITEMS,
      checked,
    )) {
      yield entry;
      const { path, item, current: known } = entry;
      if (section === 'experiments' && isObject(item)) {
        const list = `${path}.variations`;
        yield* entriesIn(list, item.variations, currentVariations(known), MAX_VARIATIONS, VARIATION);
      }
    }
  }
}

const currentVariations = (experiment: Item | null | undefined): Item[] => variationsOf(experiment ?? {});

/** The entries of a list; none if the list is too long, which is reported by a separate error. */
function entriesIn(
  path: string,
  list: unknown,
  current: readonly Item[],
  max: number,
  checked: Checked,
): Entry[] {
  if (!Array.isArray(list) || list.length > allowedEntries(current, max)) {
    return [];
  }
  const known = byApiName(current);
  return list.map((item: unknown, index) => ({
    path: `${path}.${index}`,
    item,
    current: (isObject(item) && known.get(item.api_name)) || null,
    checked,
  }));
}

/** The maximum length of a list. An earlier release may have stored more entries than can be created now. */
const allowedEntries = (current: readonly Item[], max: number): number => Math.max(current.length, max);

const byApiName = (items: readonly Item[]): ReadonlyMap<unknown, Item> =>
  new Map(items.map((item) => [item.api_name, item]));

/** Checks the fields of an object. @param refused the paths that already have an error */
function checkObject(
  { path, item, current, checked: { fields, body, others = [] } }: Entry,
  refused: ReadonlySet<string>,
  failures: Failures,
): void {
  if (!isObject(item)) {
    return;
  }
  refuseUnknown(path, item, [...fields.map(({ name }) => name), ...others], failures);
  const plain = changedFields(fields, item, current).filter(({ references }) => references === null);
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
 * If the structure is invalid, the changed fields are also checked, so the error lists all failures together.
 * @param current the project's definition
 * @param failures failures in the rest of the request
 * @throws ValidationError with paths such as `experiments.2.variations.0.api_name`
 */
export function parseDefinition(body: unknown, current: Definition, failures: Failures): DefinitionDocument {
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
    checkPart(part, value, current, failures);
  }
  const message = 'Another environment is already the default.';
  checkOne('environments', body.environments, 'is_default', message, failures);
  if (failures.any) {
    checkFields(body, current, failures);
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

function checkPart(part: string, value: unknown, current: Definition, failures: Failures): void {
  if (part === 'version') {
    if (value !== FORMAT) {
      failures.add(part, `The version must be ${FORMAT}, the version of the document format.`);
    }
  } else if (part === 'project' || part === 'settings') {
    if (!isObject(value)) {
      failures.add(part, `The ${part} must be an object.`);
    }
  } else if (SECTIONS.includes(part)) {
    checkItems(part, value, itemsIn(current, part), MAX_ITEMS, failures);
  } else {
    failures.add(part, unknownField(part, PARTS));
  }
}

function checkItems(
  path: string,
  value: unknown,
  current: readonly Item[],
  max: number,
  failures: Failures,
): void {
  if (!Array.isArray(value)) {
    failures.add(path, 'It must be a list. Omit it to leave this part unchanged.');
    return;
  }
  const allowed = allowedEntries(current, max);
  if (value.length > allowed) {
    failures.add(path, `It may have at most ${allowed} entries.`);
    return;
  }
  const known = byApiName(current);
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
      checkExperiment(place, item, currentVariations(known.get(name)), failures);
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
      'The api name must be 1 to 64 lower-case letters, digits, _ or -, and begin with a letter or digit.',
    );
  } else if (seen.has(name)) {
    failures.add(`${place}.api_name`, `The api name is already used by ${list}.${seen.get(name)}.`);
  }
}

function checkExperiment(
  place: string,
  { status, variations }: Record<string, unknown>,
  current: readonly Item[],
  failures: Failures,
): void {
  if (status !== undefined) {
    failures.addAll(`${place}.status`, runCheck(oneOf(STATUSES), 'status', status));
  }
  if (variations !== undefined) {
    const path = `${place}.variations`;
    checkItems(path, variations, current, MAX_VARIATIONS, failures);
    checkOne(path, variations, 'is_original', 'Only one variation can be the original.', failures);
  }
}
