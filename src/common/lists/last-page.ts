/** The number of the last page of a list, from 1. */
export const lastPageOf = (total: number, perPage: number): number => Math.max(1, Math.ceil(total / perPage));

/** One page of a list. */
export interface ReadPage<L> {
  list: L;
  /** From 1. */
  page: number;
  lastPage: number;
}

/** Reads a page of a list; if the list has fewer pages, the last one. */
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
