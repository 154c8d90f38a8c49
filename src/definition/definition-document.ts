import { Failures, unknownField } from '../common/validation/failures';
import { runCheck } from '../common/validation/fields';
import { oneOf } from '../common/validation/checks';
import { API_NAME } from '../common/text/names';
import { isObject, isTooDeep, MAX_DEPTH } from '../common/validation/values';
import { STATUSES } from '../experiments/experiment-status';
import { MAX_VARIATIONS } from '../experiments/variations/variation.record';
import { FORMAT, MAX_ITEMS } from './definition';
import { SECTIONS } from './definition-fields';
import { checkFields } from './field-check';

const PARTS = ['version', 'project', 'settings', ...SECTIONS];

/**
 * A submitted definition with a valid structure. The fields of its items are not validated yet. Absent parts stay
 * unchanged.
 */
export type DefinitionDocument = Readonly<Record<string, unknown>>;

/**
 * Checks the structure of a definition: parts, lists, and that each item has its own api_name. If it is invalid, all
 * fields are checked as well, so that the error names everything at once.
 * @param failures of the rest of the request
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

/** At most one entry is marked: two would be applied one after the other, and the next plan would differ again. */
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
      failures.add(part, `The version must be ${FORMAT}, the version of the format.`);
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
    failures.add(path, 'It must be a list. Leave it out to change nothing here.');
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
    checkApiName(place, path, item.api_name, seen, failures);
    seen.set(String(item.api_name), seen.get(String(item.api_name)) ?? index);
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
    failures.add(`${place}.api_name`, 'The api name field is required: it identifies the entry.');
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
