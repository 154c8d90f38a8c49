import type { Takes } from './arguments';
import type { Arguments, Shape } from './reference';
import type { Api, Told } from './tool';

const PER_PAGE = 25;
const MAX_PER_PAGE = 100;

/**
 * The maximum length of names in characters. The same limit applies to strings in URLs, because URLs are written to the
 * log.
 */
export const MAX_TEXT = 255;

/** The arguments of tools that list records. */
export const LISTING = {
  query: ['search', 'page', 'per_page'],
  args: {
    search: { maxLength: MAX_TEXT },
    page: { description: undefined },
    per_page: { maximum: MAX_PER_PAGE, default: undefined, description: undefined },
  },
} as const satisfies Takes;

/**
 * Reads one page of a list, and mentions the next page if there is one. @param called the plural name of the records,
 * such as `experiments`
 */
export async function readPage(
  api: Api,
  args: Arguments & { page?: number; per_page?: number },
  { shape, called }: { shape: Pick<Shape<object[]>, 'take'>; called: string },
): Promise<Told> {
  const { page = 1, per_page = PER_PAGE } = args;
  const { headers, body } = await api.ask({ ...args, page, per_page });
  const items = shape.take(body);
  const total = Number(headers['x-total-count']);
  const next_page = page * per_page < total ? page + 1 : null;
  const rest = next_page === null ? '' : ` There are more: request page ${next_page}.`;
  return {
    text: `${items.length} of ${total} ${called}, page ${page}.${rest}`,
    data: { items, paging: { page, per_page, total, next_page } },
  };
}
