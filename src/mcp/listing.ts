import { isObject } from '../common/validation/values';
import type { Takes } from './arguments';
import type { Arguments, Shape } from './reference';
import type { Api, Told } from './tool';

const PER_PAGE = 25;
const MAX_PER_PAGE = 100;

/** The maximum length of names, in characters. The same limit applies to strings in URLs, because URLs are logged. */
export const MAX_TEXT = 255;

/** The arguments for tools that list records. */
export const LISTING = {
  query: ['search', 'page', 'per_page'],
  args: {
    search: { maxLength: MAX_TEXT },
    page: { description: undefined },
    per_page: { maximum: MAX_PER_PAGE, default: undefined, description: undefined },
  },
} as const satisfies Takes;

/** How much of a value a list shows: the number of characters in a string, and of entries in an array. */
interface Shown {
  characters: number;
  entries: number;
}

const SHOWN: Shown = { characters: 500, entries: 50 };
/** For fields that would otherwise still be too long. */
const SHOWN_OF_LONG: Shown = { characters: 100, entries: 3 };
/** Maximum length of a field as JSON, in characters. */
const MAX_FIELD = 5_000;

/** The value with long strings and arrays truncated, because code and conditions could fill an assistant's context. */
function shortened<T>(value: T): T {
  const cut = withLimits(value, SHOWN);
  return JSON.stringify(cut ?? null).length > MAX_FIELD ? withLimits(value, SHOWN_OF_LONG) : cut;
}

/** `shortened` for each field of an object. */
export const withShortFields = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortened<unknown>(value)])) as T;

function withLimits<T>(value: T, limits: Shown): T;
function withLimits(value: unknown, limits: Shown): unknown {
  if (typeof value === 'string') {
    const { characters } = limits;
    return value.length > characters
      ? `${value.slice(0, characters)}... (${value.length} characters)`
      : value;
  }
  if (Array.isArray(value)) {
    return value.slice(0, limits.entries).map((entry: unknown) => withLimits(entry, limits));
  }
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withLimits(entry, limits)]))
    : value;
}

/** A list of records. */
interface Listed<T extends object> {
  shape: Pick<Shape<T[]>, 'take'>;
  /** The plural name of the records, such as `experiments`. */
  called: string;
  shorten?: (record: T) => T;
}

/** Reads one page of a list, and tells the assistant if there is a next page. */
export async function readPage<T extends object>(
  api: Api,
  args: Arguments & { page?: number; per_page?: number },
  { shape, called, shorten = withShortFields }: Listed<T>,
): Promise<Told> {
  const { page = 1, per_page = PER_PAGE } = args;
  const { headers, body } = await api.ask({ ...args, page, per_page });
  const whole = shape.take(body);
  const items = whole.map(shorten);
  const cut = JSON.stringify(items) === JSON.stringify(whole) ? '' : ' Long values are shortened.';
  const total = Number(headers['x-total-count']);
  const next_page = page * per_page < total ? page + 1 : null;
  const rest = next_page === null ? '' : ` There are more: request page ${next_page}.`;
  return {
    text: `${items.length} of ${total} ${called}, page ${page}.${cut}${rest}`,
    data: { items, paging: { page, per_page, total, next_page } },
  };
}
