import { Injectable } from '@nestjs/common';
import { UnauthenticatedError } from '../common/errors/api-errors';
import { groupBy } from '../common/lists/group-by';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import { placeholders } from '../database/row-store';
import { DefinitionStore, Definitions } from './definitions';
import { EventCounters } from './event-counters';
import { DefinitionsChangedError, EventWriter, ProjectEvents } from './event-writer';
import { GroupCommit } from './group-commit';
import type { Receipt } from './receipt';
import { Resolution, resolveMessages } from './resolution';
import { SnippetErrorLog } from './snippet-error-log';

/** Messages that arrived together, for one project. */
export interface Delivery {
  clientKey: string;
  messages: readonly unknown[];
  /** Size of the body that they came in. */
  bytes: number;
  receivedAt: Micros;
  sentAt: Micros | null;
  userAgent: string;
  /** Nothing of it is stored unless all of it is good. */
  isWhole?: boolean;
}

const GROUP_EVENTS = 2_000;
const WAITING_EVENTS = 50_000;
/** A message that is larger counts as several, so that what waits is bounded in memory too. */
const BYTES_OF_EVENT = 400;
/** SQLite has one writer; on MySQL a second group is prepared and sent while the first is being committed. */
const PARALLEL = { sqlite: 1, mysql: 2 };
const ATTEMPTS = 5;

interface KeyRow {
  client_key: string;
  id: number;
  version: number;
}

interface Resolved extends Resolution {
  definitions: Definitions;
}

/** Takes events in: an acknowledged event is committed. */
@Injectable()
export class CollectionService {
  private readonly groups: GroupCommit<Delivery, Receipt | null>;

  constructor(
    private readonly database: Database,
    private readonly definitions: DefinitionStore,
    private readonly writer: EventWriter,
    private readonly counters: EventCounters,
    private readonly snippetErrors: SnippetErrorLog,
  ) {
    const limits = {
      groupSize: GROUP_EVENTS,
      waitingSize: WAITING_EVENTS,
      parallel: PARALLEL[database.engine],
    };
    this.groups = new GroupCommit(limits, (deliveries) => this.commit(deliveries));
  }

  /**
   * Resolves when what was accepted is committed.
   * @throws UnauthenticatedError when the client key is nobody's
   * @throws UnavailableError when more is waiting than the server will take
   */
  async collect(delivery: Delivery): Promise<Receipt> {
    const receipt = await this.groups.submit(delivery, sizeOf(delivery));
    if (receipt === null) {
      throw new UnauthenticatedError();
    }
    this.counters.count(receipt);
    return receipt;
  }

  private async commit(deliveries: Delivery[]): Promise<(Receipt | null)[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(deliveries);
      } catch (error) {
        if (!(error instanceof DefinitionsChangedError) || attempt === ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  private async attempt(deliveries: readonly Delivery[]): Promise<(Receipt | null)[]> {
    const projects = await this.projectsOf(deliveries);
    const resolved = deliveries.map((delivery) => {
      const definitions = projects.get(delivery.clientKey);
      return definitions === undefined ? null : resolve(delivery, definitions);
    });
    const events = eventsByProject(resolved.filter((each) => each !== null));
    if (events.length > 0) {
      const changed = await this.database.transaction((tx) => this.writer.store(tx, events));
      changed.forEach((projectId) => this.definitions.forget(projectId));
    }
    for (const { definitions, errors } of resolved.filter((each) => each !== null)) {
      this.snippetErrors.report(definitions.projectId, errors);
    }
    return resolved.map((each) => each?.receipt ?? null);
  }

  /** The definitions of the projects that the keys belong to, as they are now. */
  private async projectsOf(deliveries: readonly Delivery[]): Promise<Map<string, Definitions>> {
    const keys = [...new Set(deliveries.map(({ clientKey }) => clientKey))];
    const rows: KeyRow[] = await this.database.read.query(
      `SELECT p.client_key, p.id, v.version FROM projects p JOIN project_versions v ON v.project_id = p.id
        WHERE p.client_key IN (${placeholders(keys.length)}) AND p.deleted_at IS NULL`,
      keys,
    );
    const projects = new Map<string, Definitions>();
    for (const { client_key, id, version } of rows) {
      projects.set(client_key, await this.definitions.find(id, version));
    }
    return projects;
  }
}

const sizeOf = ({ messages, bytes }: Delivery): number =>
  Math.max(1, messages.length, Math.ceil(bytes / BYTES_OF_EVENT));

function resolve({ messages, isWhole, ...delivery }: Delivery, definitions: Definitions): Resolved {
  const resolution = resolveMessages(messages, { ...delivery, definitions, isImport: false });
  const { rejected } = resolution.receipt;
  return isWhole === true && rejected.length > 0
    ? { definitions, events: [], errors: [], receipt: { accepted: 0, rejected } }
    : { definitions, ...resolution };
}

function eventsByProject(resolved: readonly Resolved[]): ProjectEvents[] {
  const projects = groupBy(
    resolved.filter(({ events }) => events.length > 0),
    ({ definitions }) => definitions,
  );
  return [...projects].map(([definitions, own]) => ({
    definitions,
    events: own.flatMap(({ events }) => events),
  }));
}
