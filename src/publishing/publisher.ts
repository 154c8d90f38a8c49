import { Injectable, OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Failure } from '../common/validation/failure';
import { Failures } from '../common/validation/failures';
import { Config } from '../config/config';
import { ItemObserver, ItemObservers } from '../projects/item-observers';
import { SNIPPET_VERSION } from '../projects/project.record';
import type { ProjectWrite } from '../projects/project-writer';
import { codeFailures } from './build/code-failures';
import { buildContent, PublicationContent } from './build/publication-content';
import type { LiveDefinitions } from './definitions';
import { DefinitionsReader } from './definitions-reader';
import { movedDefinitions } from './moved-definitions';
import { PublicationParts, PublicationRow, PublicationStore } from './publication-store';
import type { PublicationReason } from './publication.entity';

const KEPT_CONTENTS = 20;

/** What a publication is, apart from its place among the others. */
interface Built {
  row: Omit<
    PublicationRow,
    'project_id' | 'revision' | 'reason' | 'source_revision' | 'user_id' | 'token_id' | 'created_at'
  >;
  parts: PublicationParts;
}

/** Makes what is live: builds it, stores it as a new revision, and counts the project's revision up. */
@Injectable()
export class Publisher implements ItemObserver, OnModuleInit {
  /** A write that has to be tried again need not build again. */
  private readonly contents = new LRUCache<string, Promise<PublicationContent>>({ max: KEPT_CONTENTS });

  constructor(
    private readonly observers: ItemObservers,
    private readonly reader: DefinitionsReader,
    private readonly store: PublicationStore,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.observers.register(this);
  }

  /**
   * An experiment that starts goes live at once, and one that is live and stops goes off, alone. Nothing else is live
   * than what runs, so that other moves need not look.
   */
  async afterMove(write: ProjectWrite, experimentId: number, from: string, to: string | null): Promise<void> {
    if (from !== 'running' && to !== 'running') {
      return;
    }
    const { tx, projectId, failures } = write;
    const published = await this.store.latestDefinitions(tx, projectId);
    const isLive = published?.experiments.some(({ id }) => id === experimentId) ?? false;
    if (to !== 'running' && !isLive) {
      return;
    }
    const present =
      to === 'running'
        ? await this.reader.single(tx, projectId, experimentId, failures)
        : await this.reader.empty(tx, projectId);
    const definitions = movedDefinitions(published, present, experimentId);
    failures.addEach(new Failures(nameFailures(definitions, experimentId)));
    failures.throwIfAny();
    await this.publish(write, definitions, 'status');
  }

  /** Makes all running experiments live as they are defined now. @returns whether that is a new revision */
  async publishAll(write: ProjectWrite): Promise<boolean> {
    const definitions = await this.reader.running(write.tx, write.projectId, write.failures);
    write.failures.throwIfAny();
    return this.publish(write, definitions, 'publish');
  }

  /**
   * Makes the content of an earlier revision live again, as a new one, except for experiments that are not running.
   * @returns whether that is a new revision: null when there is no such revision
   */
  async rollBack(write: ProjectWrite, revision: number): Promise<boolean | null> {
    const { tx, projectId } = write;
    const row = await this.store.find(tx, projectId, revision);
    if (row === null) {
      return null;
    }
    const definitions = await this.store.definitions(tx, row);
    const running = new Set(await this.reader.runningIds(tx, projectId));
    const experiments = definitions.experiments.filter(({ id }) => running.has(id));
    if (experiments.length < definitions.experiments.length) {
      return this.publish(write, { ...definitions, experiments }, 'rollback', revision);
    }
    const parts = await this.store.parts(tx, projectId, revision);
    return this.add(write, { row, parts }, 'rollback', revision);
  }

  /** What the definitions are built into. @param clientKey of the project */
  async build(definitions: LiveDefinitions, clientKey: string): Promise<PublicationContent> {
    const place = { host: this.config.publicUrl, clientKey };
    const key = JSON.stringify([place, definitions]);
    const known = this.contents.get(key);
    if (known !== undefined) {
      return known;
    }
    const content = buildContent(definitions, place);
    this.contents.set(key, content);
    content.catch(() => this.contents.delete(key));
    return content;
  }

  private async publish(
    write: ProjectWrite,
    definitions: LiveDefinitions,
    reason: PublicationReason,
    source: number | null = null,
  ): Promise<boolean> {
    const [{ client_key }]: { client_key: string }[] = await write.tx.query(
      'SELECT client_key FROM projects WHERE id = ?',
      [write.projectId],
    );
    new Failures(codeFailures(definitions)).throwIfAny();
    const { payload, script, gzip, brotli, ...content } = await this.build(definitions, client_key);
    const row = {
      ...content,
      snippet_version: SNIPPET_VERSION,
      bytes: script.length,
      bytes_gzip: gzip.length,
      bytes_brotli: brotli.length,
    };
    const parts = {
      definitions: Buffer.from(JSON.stringify(definitions)),
      payload: Buffer.from(JSON.stringify(payload)),
      script,
      script_gzip: gzip,
      script_brotli: brotli,
    };
    return this.add(write, { row, parts }, reason, source);
  }

  /** Adds a revision, unless what it would be is live already. */
  private async add(
    write: ProjectWrite,
    { row, parts }: Built,
    reason: PublicationReason,
    source: number | null,
  ): Promise<boolean> {
    const { tx, projectId, author, now } = write;
    const latest = await this.store.latest(tx, projectId);
    if (latest?.digest === row.digest) {
      return false;
    }
    const before = latest?.revision ?? 0;
    const revision = before + 1;
    const { userId = null, tokenId = null } = typeof author === 'string' ? {} : author;
    const place = { project_id: projectId, revision, reason, source_revision: source };
    const by = { user_id: userId, token_id: tokenId, created_at: now };
    await this.store.insert(tx, { ...row, ...place, ...by }, parts);
    await tx.query(
      'UPDATE projects SET snippet_revision = ?, updated_at = ?, version = version + 1 WHERE id = ?',
      [revision, now, projectId],
    );
    write.changed('record', {
      action: 'publish',
      itemType: 'project',
      itemId: projectId,
      before: { snippet_revision: before },
      after: { snippet_revision: revision },
    });
    return true;
  }
}

/** What is live may have an experiment under the name that it had when it was published. */
function nameFailures({ experiments }: LiveDefinitions, experimentId: number): Failure[] {
  const moved = experiments.find(({ id }) => id === experimentId);
  return experiments
    .filter(({ id, api_name }) => id !== experimentId && api_name === moved?.api_name)
    .map(({ id, api_name }) => ({
      path: 'api_name',
      message: `The experiment ${id} is still live under the name ${api_name}. Publish the project first.`,
    }));
}
