import { TokenStore } from '../../src/users/tokens/token.store';
import type { TestApi } from './api';

/**
 * The SQL statements that the application sends during the work. Excludes those that store the last use of a token,
 * because the first request of a minute sends them after its response.
 */
export async function statementsDuring(api: TestApi, work: () => Promise<unknown>): Promise<string[]> {
  const { app, database } = api;
  const noting = jest.spyOn(app.get(TokenStore, { strict: false }), 'noteUse').mockResolvedValue();
  await api.usesStored();
  const statements: string[] = [];
  const subscriber = { beforeQuery: ({ query }: { query: string }) => void statements.push(query) };
  const collector = await database.collecting(async () => database.read.dataSource);
  const sources = [...new Set([database.read.dataSource, collector, database.writer])];
  sources.forEach(({ subscribers }) => subscribers.push(subscriber));
  await work();
  sources.forEach(({ subscribers }) => subscribers.splice(subscribers.indexOf(subscriber), 1));
  noting.mockRestore();
  return statements;
}
