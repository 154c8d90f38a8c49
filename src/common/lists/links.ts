import { lastPageOf } from './last-page';
import type { PageRequest } from './list-query';

/** RFC 8288 links to the other pages of a list; null without pagination. */
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
