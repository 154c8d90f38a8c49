import { Attributor } from '../../src/events/attributor';
import { CellStore } from '../../src/events/cells.store';
import { EventGates } from '../../src/events/event-gates.store';
import { ResultStates } from '../../src/events/result-states.store';
import { ResultUpdates } from '../../src/events/result-changes';
import type { Database, Tx } from '../../src/database/database';
import type { TestApi } from './api';

/** An attributor that fails after this number of statements in each transaction. */
export function interrupted(api: TestApi, statements: number): Attributor {
  const { database } = api;
  const cutOff = (tx: Tx): Tx => {
    let left = statements;
    const cut = (work: () => Promise<unknown>): Promise<unknown> => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('cut off')) : work();
    };
    const query = (sql: string, parameters?: unknown[]) => cut(() => tx.query(sql, parameters));
    const counted = (sql: string, parameters: unknown[]) =>
      cut(() => tx.queryRunner!.query(sql, parameters, true));
    return { query, queryRunner: { query: counted } } as unknown as Tx;
  };
  const faulty = {
    engine: database.engine,
    forUpdate: database.forUpdate,
    forUpdateSkippingLocked: database.forUpdateSkippingLocked,
    transaction: <T>(work: (tx: Tx) => Promise<T>) => database.transaction((tx) => work(cutOff(tx))),
  } as Database;
  return new Attributor(
    faulty,
    new ResultUpdates(new CellStore(faulty), new ResultStates()),
    new EventGates(api.config, faulty),
  );
}
