import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { nowMicros } from '../common/time/clock';
import { API_NAME } from '../common/text/names';
import type { Reader } from '../database/delivery-pool';
import type { Period } from '../events/definitions';
import { type LiveNames, LiveNameSource, type PublishedGoal } from '../events/live-names';
import type { LiveDefinitions } from './definitions';
import { type PublicationRow, PublicationStore } from './publication.store';

/** The names and pages in one revision. */
type RevisionNames = Pick<LiveNames, 'experiments' | 'goals'>;

/** The goals of an earlier revision. */
type EarlierRevision = Pick<LiveNames, 'goals'> & Period;

const NOTHING: LiveNames = { experiments: [], goals: [], earlierGoals: [] };
const MAX_REVISIONS = 1_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Upper bound for the size of a name, in bytes. */
const NAME_BYTES = 300;
/** Estimated size of page conditions, in bytes per character of their JSON. */
const CONDITION_BYTES = 3;

/**
 * How long the page views and clicks of an earlier revision count after the next publication. Browsers use cached
 * scripts for two minutes, and tabs of single-page applications stay open for longer.
 */
const OPEN_PAGE_MICROS = 3_600_000_000;
/** The maximum number of earlier revisions, because reading a revision for the first time takes long. */
const MAX_EARLIER = 10;

/**
 * The names and pages in live publications. They are cached by revision, because definitions contain all code, which
 * makes them large.
 */
@Injectable()
export class PublishedNames extends LiveNameSource {
  private readonly known = new LRUCache<string, RevisionNames>({
    max: MAX_REVISIONS,
    maxSize: MAX_BYTES,
    sizeCalculation: bytesOf,
  });

  constructor(private readonly store: PublicationStore) {
    super();
  }

  async namesOf(manager: EntityManager, projectId: number): Promise<LiveNames> {
    const rows = await this.store.list(manager, projectId, 1 + MAX_EARLIER);
    if (rows.length === 0) {
      return NOTHING;
    }
    const [live, ...others] = rows;
    const names = await this.inRevision(manager, live);
    const now = nowMicros();
    const earlier: EarlierRevision[] = [];
    for (const [index, row] of others.entries()) {
      const until = rows[index].created_at + OPEN_PAGE_MICROS;
      if (until > now) {
        const { goals } = await this.inRevision(manager, row);
        earlier.push({ goals, from: row.created_at, until });
      }
    }
    return { ...names, earlierGoals: earlierGoals(names.goals, earlier) };
  }

  private async inRevision(manager: EntityManager, row: PublicationRow): Promise<RevisionNames> {
    const key = `${row.project_id}:${row.revision}`;
    const known = this.known.get(key);
    if (known !== undefined) {
      return known;
    }
    const names = namesIn(await this.store.definitions(manager, row));
    this.known.set(key, names);
    return names;
  }
}

function bytesOf({ experiments, goals }: RevisionNames): number {
  const names = experiments.reduce((sum, { variations }) => sum + 1 + variations.length, 1 + goals.length);
  const conditions = JSON.stringify(goals.map((goal) => goal.conditions));
  return NAME_BYTES * names + CONDITION_BYTES * conditions.length;
}

const namesIn = ({ experiments }: LiveDefinitions): RevisionNames => ({
  experiments: experiments.map(({ id, api_name, variations }) => ({
    id,
    api_name,
    variations: variations.map((variation) => ({ id: variation.id, api_name: variation.api_name })),
  })),
  goals: goalsIn(experiments),
});

/** The goals without duplicates. A goal that was published with several names or pages is listed once for each. */
function goalsIn(experiments: LiveDefinitions['experiments']): PublishedGoal[] {
  const goals = new Map<string, PublishedGoal>();
  for (const { id, api_name, type, conditions } of experiments.flatMap((experiment) => experiment.goals)) {
    goals.set(JSON.stringify([id, api_name, conditions]), { id, api_name, type, conditions });
  }
  return [...goals.values()];
}

/** The pageview and click goals of earlier revisions that had other pages or names than the live goals. */
function earlierGoals(
  live: readonly PublishedGoal[],
  revisions: readonly EarlierRevision[],
): LiveNames['earlierGoals'] {
  const known = new Set(live.map(sentKey));
  const earlier = new Map<string, LiveNames['earlierGoals'][number]>();
  for (const { goals, from, until } of revisions) {
    for (const goal of goals.filter(({ type }) => type !== 'custom')) {
      const key = sentKey(goal);
      if (!known.has(key)) {
        earlier.set(key, { ...goal, from, until: earlier.get(key)?.until ?? until });
      }
    }
  }
  return [...earlier.values()];
}

/** Identifies a goal together with what decides its events: its pages, or the name that the script sends. */
const sentKey = ({ id, type, conditions, api_name }: PublishedGoal): string =>
  JSON.stringify([id, type === 'pageview' ? conditions : api_name]);

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
