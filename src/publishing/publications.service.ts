import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Author } from '../access/actor';
import type { ProjectScope } from '../access/scope';
import type { Shown } from '../common/freshness/answers';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import type { ProjectRecord } from '../projects/project.record';
import { writeScope } from '../projects/project-writer';
import { ProjectsService } from '../projects/projects.service';
import type { LiveDefinitions } from './definitions';
import { DefinitionsStore } from './definitions.store';
import { PublicationStore, PublicationRow } from './publication.store';
import { Publisher } from './publisher';

interface Published {
  project: Shown<ProjectRecord>;
  bytes: number;
}

/** Publishing as somebody asks for it. */
@Injectable()
export class PublicationsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly publisher: Publisher,
    private readonly store: PublicationStore,
    private readonly definitions: DefinitionsStore,
  ) {}

  /** Publishes the whole project. `bytes` is the size of the script that is live then, compressed with gzip. */
  publish(scope: ProjectScope, submission: Submission<object>): Promise<Published> {
    return this.publisher.publishing(writeScope(scope, 'projects'), submission, async (write, publish) => {
      write.failures.throwIfAny();
      await publish();
      const project = await this.projects.read(write.tx, scope.projectId);
      const [{ bytes_gzip }] = await this.store.list(write.tx, scope.projectId, 1);
      return { project, bytes: bytes_gzip };
    });
  }

  /** As `publish`, on behalf of the admin command or the server. */
  async publishProject(projectId: number, author: Author): Promise<void> {
    await this.publisher.publishing({ projectId, author }, null, (_, publish) => publish());
  }

  /** Is a running experiment defined otherwise than it is live? */
  async hasUnpublishedEdits(projectId: number, experimentId: number): Promise<boolean> {
    const { read } = this.database;
    const [defined, live] = await Promise.all([
      this.definitions.single(read, projectId, experimentId, null),
      this.store.latestDefinitions(read, projectId),
    ]);
    return live === null || !isDeepStrictEqual(partFor(experimentId, defined), partFor(experimentId, live));
  }

  /** All revisions of a project, the latest first. */
  list(projectId: number): Promise<PublicationRow[]> {
    return this.store.list(this.database.read, projectId);
  }

  /**
   * Makes an earlier revision current again, as a new one.
   * @returns the new revision, or null when what it would be is live already
   * @throws NotFoundError when the project has no such revision
   */
  rollBack(projectId: number, revision: number, author: Author): Promise<PublicationRow | null> {
    return this.publisher.rollingBack({ projectId, author }, revision, async (write, publish) => {
      const isNew = await publish();
      const [latest] = await this.store.list(write.tx, projectId, 1);
      return isNew ? latest : null;
    });
  }
}

/** What of the definitions decides how one experiment is shown; as it is kept, which is JSON. */
function partFor(experimentId: number, definitions: LiveDefinitions): unknown {
  const { storage, push_to, environments, experiments } = definitions;
  const found = experiments.find(({ id }) => id === experimentId);
  // The phase is decided when it is published.
  const experiment = found === undefined ? undefined : { ...found, phase: undefined };
  const places = environments.filter(({ id }) => experiment?.environments.includes(id));
  return JSON.parse(JSON.stringify([storage, push_to, places, experiment ?? null]));
}
