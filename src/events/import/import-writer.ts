import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../common/errors/api-errors';
import { formatMicros, Micros, nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { moveStart } from '../../experiments/experiment-run.store';
import { ProjectWriter } from '../../projects/project-writer';
import { DefinitionStore, Definitions } from '../definitions';
import { DefinitionsChangedError, EventWriter } from '../event-writer';
import type { Receipt } from '../receipt';
import { ResolvedEvent, resolveMessages } from '../resolution';

/** Further writes in the transaction that stores messages. */
export type Alongside = (tx: Tx, receipt: Receipt) => Promise<void>;

const ATTEMPTS = 5;
const MILLISECOND = 1_000;

/** Stores historical messages with their own timestamps. */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly database: Database,
    private readonly definitions: DefinitionStore,
    private readonly writer: EventWriter,
    private readonly projects: ProjectWriter,
  ) {}

  /**
   * Stores messages in one transaction, by the rules of collection, but with their own timestamps. If exposures are
   * earlier than the start of their experiment, the start is moved back to the first of them.
   * @throws NotFoundError if the project does not exist or is deleted
   */
  async store(
    projectId: number,
    messages: readonly unknown[],
    alongside: Alongside = () => Promise.resolve(),
  ): Promise<Receipt> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(projectId, messages, alongside);
      } catch (error) {
        if (!(error instanceof DefinitionsChangedError) || attempt === ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  /**
   * The current version of a project.
   * @throws NotFoundError if the project does not exist or is deleted
   */
  async versionOf(projectId: number): Promise<number> {
    const [row]: { version: number }[] = await this.database.read.query(
      `SELECT v.version FROM project_versions v JOIN projects p ON p.id = v.project_id
        WHERE p.id = ? AND p.deleted_at IS NULL`,
      [projectId],
    );
    if (row === undefined) {
      throw new NotFoundError();
    }
    return row.version;
  }

  private async attempt(
    projectId: number,
    messages: readonly unknown[],
    alongside: Alongside,
  ): Promise<Receipt> {
    const definitions = await this.definitions.find(projectId, await this.versionOf(projectId));
    const arrival = {
      definitions,
      receivedAt: nowMicros(),
      sentAt: null,
      userAgent: '',
      source: 'import' as const,
    };
    const { events, links, receipt } = resolveMessages(messages, arrival);
    const store = async (tx: Tx): Promise<number[]> => {
      const { changed } = await this.writer.store(tx, [{ definitions, events, links }]);
      await alongside(tx, receipt);
      return changed;
    };
    const starts = earlierStarts(definitions, events);
    const changed =
      starts.length === 0
        ? await this.database.transaction(store)
        : await this.storeWithStarts(definitions, starts, store);
    changed.forEach((id) => this.definitions.forget(id));
    return receipt;
  }

  /** The starts come from the definitions, so the definitions must still be current. */
  private storeWithStarts<T>(
    { projectId, version }: Definitions,
    starts: readonly Start[],
    store: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    return this.projects.change({ projectId, author: 'admin' }, null, async (write) => {
      const [row]: { version: number }[] = await write.tx.query(
        'SELECT version FROM project_versions WHERE project_id = ?',
        [projectId],
      );
      if (row?.version !== version) {
        throw new DefinitionsChangedError();
      }
      // Insert first-event rows first, so that they exist when the rules change.
      const stored = await store(write.tx);
      for (const { experimentId, from, to } of starts) {
        await moveStart(write.tx, experimentId, to, write.now);
        write.changed('experiments', {
          action: 'move-start',
          itemType: 'experiment',
          itemId: experimentId,
          before: { started_at: formatMicros(from) },
          after: { started_at: formatMicros(to) },
        });
      }
      return stored;
    });
  }
}

interface Start {
  experimentId: number;
  from: Micros;
  to: Micros;
}

/**
 * The experiments with an exposure before their start, sorted by id. The millisecond of the start belongs to the run,
 * because client clocks have millisecond precision.
 */
function earlierStarts({ experiments }: Definitions, events: readonly ResolvedEvent[]): Start[] {
  const starts = new Map<number, Start>();
  for (const { experiment_id, occurred_at } of events) {
    const run = experiment_id === null ? undefined : experiments.get(experiment_id)?.rules.runs[0];
    if (experiment_id !== null && run !== undefined) {
      const from = run.startedAt;
      const known = starts.get(experiment_id)?.to ?? from - (from % MILLISECOND);
      if (occurred_at < known) {
        starts.set(experiment_id, { experimentId: experiment_id, from, to: occurred_at });
      }
    }
  }
  return [...starts.values()].sort((a, b) => a.experimentId - b.experimentId);
}
