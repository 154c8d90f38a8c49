import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import type { Author } from '../platform/access/actor';
import type { ProjectScope } from '../platform/access/scope';
import { Shown } from '../common/http/answers';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import type { ProjectRecord } from '../projects/project.record';
import { ProjectWrite, writeScope } from '../projects/project-writer';
import { ProjectsService } from '../projects/projects.service';
import type { LiveDefinitions } from './definitions';
import { DefinitionsStore } from './definitions.store';
import { PublicationStore, PublicationRow } from './publication.store';
import { Publisher } from './publisher';

/** The body of a publish request, which has no fields. */
@ApiSchema({ description: 'An empty object, or no body.' })
export class PublishProject {
  static readonly example = {};
}

/** A project after its publication. */
class Published extends Shown<ProjectRecord> {
  /** @param bytes size of the live script, compressed with gzip */
  constructor(
    { record, version, id }: Shown<ProjectRecord>,
    readonly bytes: number,
  ) {
    super(record, version, id);
  }
}

/** Publishes projects on behalf of users and of the server. */
@Injectable()
export class PublicationsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly publisher: Publisher,
    private readonly store: PublicationStore,
    private readonly definitions: DefinitionsStore,
  ) {}

  /** Publishes the whole project. */
  publish(scope: ProjectScope, submission: Submission<object>): Promise<Published> {
    return this.publisher.publishing(writeScope(scope, 'projects'), submission, (write, publish) =>
      this.published(write, publish),
    );
  }

  /**
   * Makes the content of an earlier revision live again, as a new revision.
   * @throws NotFoundError if there is no such revision
   */
  rollBackIn(scope: ProjectScope, revision: number, submission: Submission<object>): Promise<Published> {
    const target = writeScope(scope, 'projects');
    return this.publisher.rollingBack(target, submission, revision, (write, publish) =>
      this.published(write, publish),
    );
  }

  private async published(write: ProjectWrite, publish: () => Promise<boolean>): Promise<Published> {
    write.failures.throwIfAny();
    await publish();
    const project = await this.projects.read(write.tx, write.projectId);
    const [{ bytes_gzip }] = await this.store.list(write.tx, write.projectId, 1);
    return new Published(project, bytes_gzip);
  }

  /** Like `publish`, on behalf of the admin command or the server. */
  async publishProject(projectId: number, author: Author): Promise<void> {
    await this.publisher.publishing({ projectId, author }, null, (_, publish) => publish());
  }

  /** Whether the definition of a running experiment differs from the live one. */
  async hasUnpublishedEdits(projectId: number, experimentId: number): Promise<boolean> {
    const { read } = this.database;
    const [defined, live] = await Promise.all([
      this.definitions.single(read, projectId, experimentId, null),
      this.store.latestDefinitions(read, projectId),
    ]);
    return live === null || !isDeepStrictEqual(partFor(experimentId, defined), partFor(experimentId, live));
  }

  /** All revisions of a project, newest first. */
  list(projectId: number): Promise<PublicationRow[]> {
    return this.store.list(this.database.read, projectId);
  }

  /**
   * Makes the content of an earlier revision live again, as a new revision.
   * @returns the new revision; null if its content is already live
   * @throws NotFoundError if the project has no such revision
   */
  rollBack(projectId: number, revision: number, author: Author): Promise<PublicationRow | null> {
    return this.publisher.rollingBack({ projectId, author }, null, revision, async (write, publish) => {
      const isNew = await publish();
      const [latest] = await this.store.list(write.tx, projectId, 1);
      return isNew ? latest : null;
    });
  }
}

/**
 * The part of the definitions that affects one experiment, in JSON form, so that it can be compared with stored
 * definitions.
 */
function partFor(experimentId: number, definitions: LiveDefinitions): unknown {
  const { storage, push_to, environments, experiments } = definitions;
  const found = experiments.find(({ id }) => id === experimentId);
  // The phase and the exclusion are ignored, because they are determined only at publication.
  const experiment = found && { ...found, phase: undefined, exclusion: undefined };
  const places = environments.filter(({ id }) => experiment?.environments.includes(id));
  return JSON.parse(JSON.stringify([storage, push_to, places, experiment ?? null]));
}
