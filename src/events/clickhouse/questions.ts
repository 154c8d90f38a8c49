import { UnavailableError } from '../../common/errors/api-errors';
import type { ClickHouse } from './clickhouse';

/** Returns the known answers to statements. The text of a statement contains everything that its answer depends on. */
export type Ask = <Row>(...statements: string[]) => Row[][];

/** Names the statements whose answers a transaction needs to continue. */
class UnansweredError extends Error {
  constructor(readonly statements: readonly string[]) {
    super('ClickHouse must be queried first.');
  }
}

/** The transaction can never complete, because its statements change on each run. */
class UnsettledError extends UnavailableError {
  constructor() {
    super();
    this.message = 'The ClickHouse data that the transaction reads kept changing.';
  }

  override get body(): object {
    return new UnavailableError().body;
  }
}

const MAX_ROUNDS = 25;

/**
 * Runs a transaction that needs answers from ClickHouse, without waiting for the network inside the transaction. If an
 * answer is missing, the transaction is rolled back, ClickHouse is queried, and the transaction runs again. The events
 * in a batch never change unless they are removed, and each statement names the batches, removals, links, exclusions
 * and rules that its answer depends on. An answer therefore stays correct as long as the transaction builds the same
 * statement.
 * @param work must not change anything outside its transaction
 */
export async function answering<T>(clickhouse: ClickHouse, work: (ask: Ask) => Promise<T>): Promise<T> {
  const answers = new Map<string, unknown[]>();
  const ask = <Row>(...statements: string[]): Row[][] => {
    const missing = statements.filter((statement) => !answers.has(statement));
    if (missing.length > 0) {
      throw new UnansweredError(missing);
    }
    return statements.map((statement) => answers.get(statement) as Row[]);
  };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    try {
      return await work(ask);
    } catch (error) {
      if (!(error instanceof UnansweredError)) {
        throw error;
      }
      for (const statement of error.statements) {
        answers.set(statement, await clickhouse.rows(statement));
      }
    }
  }
  throw new UnsettledError();
}
