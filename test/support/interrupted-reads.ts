import type { EntityManager } from 'typeorm';
import { Database } from '../../src/database/database';
import type { TestApi } from './api';

/**
 * Calls a function before each read statement, including those within snapshots. @returns a function that stops the
 * calls
 */
export function beforeEachRead({ database }: TestApi, act: (sql: string) => Promise<unknown>): () => void {
  const read = Object.getOwnPropertyDescriptor(Database.prototype, 'read')!.get!;
  const spy = jest.spyOn(database, 'read', 'get').mockImplementation(() => {
    const manager = read.call(database) as EntityManager;
    const query = async (sql: string, parameters?: unknown[]): Promise<unknown> => {
      await act(sql);
      return manager.query(sql, parameters);
    };
    return Object.create(manager, { query: { value: query } }) as EntityManager;
  });
  return () => spy.mockRestore();
}
