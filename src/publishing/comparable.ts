import { MAX_COMPARED } from '../common/limits';

type Fields = Record<string, unknown>;

const isPlain = (value: object): value is Fields =>
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > MAX_COMPARED;

const cutText = (value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, MAX_COMPARED) : value;

/**
 * Truncates the strings in an attribute. Pages can set deeply nested values, so only the first level inside the
 * attribute is processed.
 */
function cut(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return cutText(value);
  }
  if (Array.isArray(value)) {
    return value.some(isLong) ? value.map(cutText) : value;
  }
  return isPlain(value) ? cutFields(value, cutText) : value;
}

/** Returns the same object if nothing was truncated, which is the usual case. */
function cutFields(fields: Fields, cutOne: (value: unknown) => unknown): Fields {
  const names = Object.keys(fields);
  if (names.every((name) => cutOne(fields[name]) === fields[name])) {
    return fields;
  }
  // Keeps the prototype, which can be null because a query parameter may have the name of an `Object.prototype`
  // property.
  const result = Object.create(Object.getPrototypeOf(fields) as object | null) as Fields;
  for (const name of names) {
    Object.defineProperty(result, name, { value: cutOne(fields[name]), enumerable: true });
  }
  return result;
}

/**
 * The visitor attributes for evaluating conditions, which are the same in browsers and on the server. Strings,
 * including those in lists and objects, are truncated to `MAX_COMPARED` code units.
 * @returns the same attributes if nothing was truncated
 */
export const comparable = (attributes: Fields): Fields => cutFields(attributes, cut);
