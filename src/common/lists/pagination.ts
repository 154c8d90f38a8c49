import type { PageRequest } from './list-query';

/** The number of a list's last page, from 1. */
export const lastPageOf = (total: number, perPage: number): number => Math.max(1, Math.ceil(total / perPage));

/** One page of a list. */
export interface ReadPage<L> {
  list: L;
  /** Number of the page, from 1. */
  page: number;
  lastPage: number;
}

/** Reads a page of a list, or its last page if the list has fewer pages. */
export async function readPage<L extends { total: number }>(
  asked: number,
  perPage: number,
  read: (page: number) => Promise<L>,
): Promise<ReadPage<L>> {
  const list = await read(asked);
  const lastPage = lastPageOf(list.total, perPage);
  return asked <= lastPage
    ? { list, page: asked, lastPage }
    : { list: await read(lastPage), page: lastPage, lastPage };
}

/** The `Link` header (RFC 8288) with links to the other pages of a list; null without pagination. */
export function linkHeader(address: string, page: PageRequest | null, total: number): string | null {
  if (page === null) {
    return null;
  }
  const last = lastPageOf(total, page.perPage);
  const target = (number: number): string => {
    const url = new URL(address);
    url.searchParams.set('page', String(number));
    url.searchParams.set('per_page', String(page.perPage));
    return url.href;
  };
  const links: [string, number][] = [['first', 1]];
  if (page.number > 1) {
    links.push(['prev', Math.min(page.number - 1, last)]);
  }
  if (page.number < last) {
    links.push(['next', page.number + 1]);
  }
  links.push(['last', last]);
  return links.map(([relation, number]) => `<${target(number)}>; rel="${relation}"`).join(', ');
}
