import { MAX_COMPARED } from '../common/limits';

type Fields = Record<string, unknown>;

const isPlain = (value: object): value is Fields =>
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > MAX_COMPARED;

const cutText = (value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, MAX_COMPARED) : value;

/** Pages may set whatever they have, so nobody goes deeper than into the values of an attribute. */
function cut(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return cutText(value);
  }
  if (Array.isArray(value)) {
    return value.some(isLong) ? value.map(cutText) : value;
  }
  return isPlain(value) ? cutFields(value, cutText) : value;
}

/** The same fields where nothing is cut, which is nearly always so. */
function cutFields(fields: Fields, cutOne: (value: unknown) => unknown): Fields {
  const names = Object.keys(fields);
  if (names.every((name) => cutOne(fields[name]) === fields[name])) {
    return fields;
  }
  // Inherits what it did: a query parameter may be called like what every object has.
  const result = Object.create(Object.getPrototypeOf(fields) as object | null) as Fields;
  for (const name of names) {
    Object.defineProperty(result, name, { value: cutOne(fields[name]), enumerable: true });
  }
  return result;
}

/**
 * The attributes of a visitor as conditions see them, the same in browsers and on the server: of a text, also in the
 * list or object that is an attribute, its first `MAX_COMPARED` code units count.
 * @returns the attributes themselves where none is longer
 */
export const comparable = (attributes: Fields): Fields => cutFields(attributes, cut);
