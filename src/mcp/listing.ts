import { z } from 'zod';
import type { ApiRequest, CallApi } from './api-port';
import { shortText } from './inputs';
import { request, Told } from './tool';

const PER_PAGE = 25;
const MAX_PER_PAGE = 100;

const listArguments = z.object({
  search: shortText.optional().describe('Only those whose name contains this text, in any case.'),
  page: z.int().positive().default(1).describe('From 1.'),
  per_page: z.int().min(1).max(MAX_PER_PAGE).default(PER_PAGE),
});

/** Arguments of tools that list. */
export const listInput = listArguments.shape;

const paging = z.object({
  page: z.int(),
  per_page: z.int(),
  total: z.int().describe('How many there are on all pages.'),
  next_page: z.int().nullable().describe('Null when this is the last page.'),
});

type ListArguments = z.output<typeof listArguments>;

/** What tools answer that list this kind of record. */
export const listOutput = <R extends z.ZodType>(record: R) => z.object({ items: z.array(record), paging });

interface Listing<R extends z.ZodType> {
  path: string;
  /** Only what it names is taken over. */
  record: R;
  /** Parameters besides those that all lists take. */
  query?: ApiRequest['query'];
  /** What the records are, such as `experiments`. */
  called: string;
}

/** Reads one page of a list, and says how it goes on. */
export async function readPage<R extends z.ZodType>(
  call: CallApi,
  { search, page, per_page }: ListArguments,
  { path, record, query, called }: Listing<R>,
): Promise<Told<{ items: z.output<R>[]; paging: z.output<typeof paging> }>> {
  const { headers, body } = await request(call, {
    method: 'GET',
    path,
    query: { ...query, search, page, per_page },
  });
  const items = z.array(record).parse(body);
  const total = Number(headers['x-total-count']);
  const next_page = page * per_page < total ? page + 1 : null;
  const rest = next_page === null ? '' : ` There are more: ask for page ${next_page}.`;
  return {
    text: `${items.length} of ${total} ${called}, page ${page}.${rest}`,
    data: { items, paging: { page, per_page, total, next_page } },
  };
}
