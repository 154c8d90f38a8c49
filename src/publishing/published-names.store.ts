import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { API_NAME } from '../common/text/names';
import type { Reader } from '../database/delivery-pool';
import { type LiveNames, LiveNameSource } from '../events/live-names';
import type { LiveDefinitions } from './definitions';
import { PublicationStore } from './publication.store';

interface Known {
  revision: number;
  names: LiveNames;
}

const NOTHING: LiveNames = { experiments: [], goals: [] };
const MAX_PROJECTS = 500;
const MAX_BYTES = 32 * 1024 * 1024;
/** Upper bound for the size of a name, in bytes. */
const NAME_BYTES = 300;

/**
 * The names in live publications. The names are cached, because definitions contain all code, which makes them large,
 * and change only with a publication.
 */
@Injectable()
export class PublishedNames extends LiveNameSource {
  private readonly known = new LRUCache<number, Known>({
    max: MAX_PROJECTS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ names }) => NAME_BYTES * (1 + count(names)),
  });

  constructor(private readonly store: PublicationStore) {
    super();
  }

  async namesOf(manager: EntityManager, projectId: number): Promise<LiveNames> {
    const [project]: { snippet_revision: number }[] = await manager.query(
      'SELECT snippet_revision FROM projects WHERE id = ?',
      [projectId],
    );
    const revision = project?.snippet_revision ?? 0;
    if (revision === 0) {
      return NOTHING;
    }
    const known = this.known.get(projectId);
    if (known?.revision === revision) {
      return known.names;
    }
    const names = namesIn(await this.store.definitions(manager, { project_id: projectId, revision }));
    this.known.set(projectId, { revision, names });
    return names;
  }
}

const count = ({ experiments, goals }: LiveNames): number =>
  experiments.reduce((sum, { variations }) => sum + 1 + variations.length, goals.length);

const namesIn = ({ experiments }: LiveDefinitions): LiveNames => ({
  experiments: experiments.map(({ id, api_name, variations }) => ({
    id,
    api_name,
    variations: variations.map((variation) => ({ id: variation.id, api_name: variation.api_name })),
  })),
  goals: goalsIn(experiments),
});

/** The goals without duplicates. A goal that was published with several names is listed once for each of them. */
function goalsIn(experiments: LiveDefinitions['experiments']): LiveNames['goals'] {
  const goals = new Map<string, LiveNames['goals'][number]>();
  for (const { id, api_name, type } of experiments.flatMap((experiment) => experiment.goals)) {
    goals.set(`${id}:${api_name}`, { id, api_name, type });
  }
  return [...goals.values()];
}

/** An experiment, live or not. */
export interface KnownExperiment {
  id: number;
  api_name: string;
  isArchived: boolean;
}

interface Row {
  id: number;
  api_name: string;
  archived_at: string | number | null;
}

/**
 * The experiments of a project that have ever run, in id order. Experiments that have never run are not public, so
 * callers with a client key get the same response for them as for unknown names.
 */
async function experimentsThatRan(reader: Reader, projectId: number): Promise<KnownExperiment[]> {
  const rows: Row[] = await reader.query(
    `SELECT id, api_name, archived_at FROM experiments
      WHERE project_id = ? AND deleted_at IS NULL AND started_at IS NOT NULL ORDER BY id`,
    [projectId],
  );
  return rows.map(({ id, api_name, archived_at }) => ({ id, api_name, isArchived: archived_at !== null }));
}

/**
 * All experiments of a project that have ever run. Publications contain only live experiments, so these names are
 * cached along with the revision.
 */
export class ExperimentNames {
  private readonly byId: ReadonlyMap<number, KnownExperiment>;
  private readonly byName: ReadonlyMap<string, KnownExperiment>;

  /** @param all the experiments in id order */
  constructor(readonly all: readonly KnownExperiment[]) {
    this.byId = new Map(all.map((each) => [each.id, each]));
    this.byName = new Map(all.map((each) => [each.api_name, each]));
  }

  static async read(reader: Reader, projectId: number): Promise<ExperimentNames> {
    return new ExperimentNames(await experimentsThatRan(reader, projectId));
  }

  withId(id: number): KnownExperiment | undefined {
    return this.byId.get(id);
  }

  named(apiName: string): KnownExperiment | null {
    return API_NAME.test(apiName) ? (this.byName.get(apiName) ?? null) : null;
  }

  /** The experiments that have run and are not archived, in id order. */
  started(): KnownExperiment[] {
    return this.all.filter(({ isArchived }) => !isArchived);
  }
}
