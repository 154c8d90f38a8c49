import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '../database/database';
import { placeholders } from '../database/row-store';
import { GroupCommit } from '../events/group-commit';
import { compilePage } from '../pages/page-matching';
import { Payload, payloadFor } from './build/payload';
import { ruleOf } from './build/rules';
import type { LiveDefinitions, LiveExperiment } from './definitions';
import { DefinitionsReader } from './definitions-reader';
import { PublicationStore } from './publication-store';
import type { DecidableExperiment, Encoded, Published } from './published';
import { Publisher } from './publisher';

interface ProjectRow {
  id: number;
  client_key: string;
  snippet_revision: number;
}

const KEPT_REVISIONS = 200;
const LIMITS = { groupSize: 500, waitingSize: 100_000, parallel: 2 };

/**
 * What is live, by client key. Which revision is current is looked up for each request, together for all that arrive
 * at the same time; revisions never change, so they are kept.
 */
@Injectable()
export class PublishedProjects {
  private readonly revisions = new LRUCache<string, Promise<Published>>({ max: KEPT_REVISIONS });
  private readonly lookUps: GroupCommit<string, ProjectRow | null>;

  constructor(
    private readonly database: Database,
    private readonly store: PublicationStore,
    private readonly reader: DefinitionsReader,
    private readonly publisher: Publisher,
  ) {
    this.lookUps = new GroupCommit(LIMITS, (keys) => this.lookUp(keys));
  }

  /**
   * What is live for a client key at this moment; null when the key is nobody's, or its project was deleted.
   * @throws UnavailableError when more requests are waiting than the server will take
   */
  async find(clientKey: string): Promise<Published | null> {
    const project = await this.lookUps.submit(clientKey, 1);
    return project === null ? null : this.revision(project);
  }

  /** A revision that was live at some time; null when there is none. */
  async findRevision(clientKey: string, revision: number): Promise<Published | null> {
    const project = await this.lookUps.submit(clientKey, 1);
    return project === null || revision < 1 || revision > project.snippet_revision
      ? null
      : this.revision({ ...project, snippet_revision: revision });
  }

  private async lookUp(clientKeys: readonly string[]): Promise<(ProjectRow | null)[]> {
    const keys = [...new Set(clientKeys)];
    const rows: ProjectRow[] = await this.database.read.query(
      `SELECT id, client_key, snippet_revision FROM projects
        WHERE client_key IN (${placeholders(keys.length)}) AND deleted_at IS NULL`,
      keys,
    );
    const byKey = new Map(rows.map((row) => [row.client_key, row]));
    return clientKeys.map((key) => byKey.get(key) ?? null);
  }

  private revision(project: ProjectRow): Promise<Published> {
    if (project.snippet_revision === 0) {
      return this.beforeFirst(project);
    }
    const key = `${project.id}:${project.snippet_revision}`;
    const known = this.revisions.get(key);
    if (known !== undefined) {
      return known;
    }
    const loading = this.load(project);
    this.revisions.set(key, loading);
    loading.catch(() => this.revisions.delete(key));
    return loading;
  }

  private async load(project: ProjectRow): Promise<Published> {
    const { id, client_key, snippet_revision } = project;
    const row = await this.store.find(this.database.read, id, snippet_revision);
    if (row === null) {
      throw new Error(`Revision ${snippet_revision} of project ${id} is missing.`);
    }
    const parts = await this.store.parts(this.database.read, id, snippet_revision);
    const { script: plain, script_gzip: gzip, script_brotli: brotli } = parts;
    return toPublished({
      project: { projectId: id, clientKey: client_key, revision: snippet_revision },
      definitions: JSON.parse(parts.definitions.toString()) as LiveDefinitions,
      payload: JSON.parse(parts.payload.toString()) as Payload,
      snippet: { plain, gzip, brotli, sha256: row.sha256 },
    });
  }

  /** Nothing is live, but the script may be on the site already: it takes what pages push. */
  private async beforeFirst({ id, client_key }: ProjectRow): Promise<Published> {
    const definitions = await this.reader.empty(this.database.read, id);
    const content = await this.publisher.build(definitions, client_key);
    const { script: plain, gzip, brotli, sha256, payload } = content;
    return toPublished({
      project: { projectId: id, clientKey: client_key, revision: 0 },
      definitions,
      payload,
      snippet: { plain, gzip, brotli, sha256 },
    });
  }
}

interface Parts {
  project: Pick<Published, 'projectId' | 'clientKey' | 'revision'>;
  definitions: LiveDefinitions;
  payload: Payload;
  snippet: Encoded;
}

function toPublished({ project, definitions, payload, snippet }: Parts): Published {
  const { environments, experiments } = definitions;
  const names = [...environments]
    .sort((a, b) => Number(b.is_default) - Number(a.is_default) || a.id - b.id)
    .map(({ id, api_name }) => ({ id, api_name }));
  const payloads = names.map(({ id, api_name }): [string, Payload] => {
    const own = experiments.filter((experiment) => experiment.environments.includes(id));
    return [api_name, payloadFor(payload, own)];
  });
  const namesById = new Map(names.map(({ id, api_name }) => [id, api_name]));
  return {
    ...project,
    environments: names.map(({ api_name }) => api_name),
    experiments: experiments.map((experiment) => decidable(experiment, namesById)),
    payloads: new Map(payloads),
    snippet,
  };
}

function decidable(
  experiment: LiveExperiment,
  environments: ReadonlyMap<number, string>,
): DecidableExperiment {
  const { id, api_name, variations, pages } = experiment;
  return {
    id,
    api_name,
    environments: experiment.environments.flatMap((each) => environments.get(each) ?? []),
    rule: ruleOf(experiment, 'excluded'),
    variations: variations.map((variation) => ({ id: variation.id, api_name: variation.api_name })),
    pages: pages.map((page) => ({
      id: page.id,
      api_name: page.api_name,
      ...compilePage(page.conditions),
    })),
  };
}
