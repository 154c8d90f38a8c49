import type { TestApi } from './api';
import { engine } from './engine';

/**
 * Makes the database refuse statements on a table during the work, with an error that an outage of the whole database
 * would cause at the same place.
 */
export async function refusing<T>(
  { database }: TestApi,
  action: 'INSERT' | 'UPDATE',
  table: string,
  work: () => Promise<T>,
): Promise<T> {
  const refuse =
    engine === 'sqlite'
      ? "BEGIN SELECT RAISE(ABORT, 'refused'); END"
      : "FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'";
  const run = (sql: string): Promise<unknown> => database.transaction((tx) => tx.query(sql));
  await run(`CREATE TRIGGER refusal BEFORE ${action} ON ${table} ${refuse}`);
  try {
    return await work();
  } finally {
    await run('DROP TRIGGER refusal');
  }
}
