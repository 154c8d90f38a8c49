import { Attributor } from '../../src/events/attributor';
import { CellStore } from '../../src/events/cells.store';
import { ResultStates } from '../../src/events/result-states.store';
import type { Database, Tx } from '../../src/database/database';
import type { TestApi } from './api';

/** An attributor that is cut off at the n-th statement of each transaction. */
export function interrupted(api: TestApi, statements: number): Attributor {
  const { database } = api;
  const cutOff = (tx: Tx): Tx => {
    let left = statements;
    const query = (sql: string, parameters?: unknown[]): Promise<unknown> => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('cut off')) : tx.query(sql, parameters);
    };
    return { query } as unknown as Tx;
  };
  const faulty = {
    engine: database.engine,
    forUpdate: database.forUpdate,
    forUpdateSkippingLocked: database.forUpdateSkippingLocked,
    transaction: <T>(work: (tx: Tx) => Promise<T>) => database.transaction((tx) => work(cutOff(tx))),
  } as Database;
  return new Attributor(faulty, new CellStore(faulty), new ResultStates());
}
