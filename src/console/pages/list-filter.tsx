import { STATUSES } from '../../experiments/experiment-status';
import { formatCount } from '../../presentation/text/numbers';
import { statusName } from '../../sharing/page/badges';
import type { ExperimentPage } from '../experiment-list';
import { ListRequest, listQuery } from '../list-request';

interface ListProps {
  /** The path of the page without a query. */
  address: string;
  list: ExperimentPage;
}

/** The filter of the list. The URL contains the whole state of the filter. */
export function ListFilter({ address, list }: ListProps) {
  const { request, counts } = list;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const choices = [
    { status: null, name: 'All', count: total },
    ...STATUSES.map((status) => ({ status, name: statusName(status), count: counts.get(status) ?? 0 })),
  ].filter(({ status, count }) => count > 0 || status === null || status === request.status);
  return (
    <div class="list-filter screen-only">
      <nav aria-label="Experiments by status">
        <ul class="choices-list">
          {choices.map(({ status, name, count }) => (
            <li key={name}>
              <a
                href={`${address}${listQuery({ ...request, status, page: 1 })}`}
                aria-current={status === request.status ? 'true' : undefined}
              >
                {name} <span class="count">{formatCount(count)}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Search address={address} request={request} />
    </div>
  );
}

function Search({ address, request }: { address: string; request: ListRequest }) {
  return (
    <form class="search" method="get" action={address} role="search">
      <label class="visually-hidden" for="search">
        Name contains
      </label>
      <input type="search" id="search" name="search" value={request.search} placeholder="Name contains" />
      {request.status !== null && <input type="hidden" name="status" value={request.status} />}
      <button class="quiet-button" type="submit">
        Search
      </button>
    </form>
  );
}

interface PagesProps {
  address: string;
  list: Pick<ExperimentPage, 'request' | 'lastPage'>;
}

/** The pagination of a list. */
export function Pages({ address, list: { request, lastPage } }: PagesProps) {
  const link = (page: number): string => `${address}${listQuery({ ...request, page })}`;
  return <PageLinks page={request.page} lastPage={lastPage} link={link} />;
}

interface PageLinksProps {
  page: number;
  lastPage: number;
  /** The URL of a page. */
  link: (page: number) => string;
}

/** Links to the neighbouring pages, and to the first and the last page. */
export function PageLinks({ page, lastPage, link }: PageLinksProps) {
  return lastPage === 1 ? null : (
    <nav class="pages screen-only" aria-label="List pages">
      {page > 2 && (
        <a class="link-button" href={link(1)}>
          First page
        </a>
      )}
      {page > 1 && (
        <a class="link-button" rel="prev" href={link(page - 1)}>
          Previous page
        </a>
      )}
      <span class="muted">
        Page {formatCount(page)} of {formatCount(lastPage)}
      </span>
      {page < lastPage && (
        <a class="link-button" rel="next" href={link(page + 1)}>
          Next page
        </a>
      )}
      {page < lastPage - 1 && (
        <a class="link-button" href={link(lastPage)}>
          Last page
        </a>
      )}
    </nav>
  );
}
