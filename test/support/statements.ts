import type { TestApi } from './api';

/** The SQL statements that the application sends while the work is done. */
export async function statementsDuring(
  { database }: TestApi,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const statements: string[] = [];
  const subscriber = { beforeQuery: ({ query }: { query: string }) => void statements.push(query) };
  const sources = [...new Set([database.read.dataSource, database.writer])];
  sources.forEach(({ subscribers }) => subscribers.push(subscriber));
  await work();
  sources.forEach(({ subscribers }) => subscribers.splice(subscribers.indexOf(subscriber), 1));
  return statements;
}
