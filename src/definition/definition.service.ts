import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ProjectPlace, ProjectScope } from '../platform/access/scope';
import { NotFoundError, PreconditionFailedError } from '../common/errors/api-errors';
import { mapInTurns } from '../common/event-loop';
import { Shown } from '../common/http/answers';
import { matchesTag, Tags } from '../common/http/etag';
import type { Failures } from '../common/validation/failures';
import { Database, Tx } from '../database/database';
import { ClientKeyCache } from '../projects/dependents';
import { ProjectVersionsStore } from '../projects/project-versions.store';
import { ProjectWriter } from '../projects/project-writer';
import { Application, ApplyOptions } from './application';
import type { Definition } from './definition';
import { differences, remaining } from './definition-changes';
import { type DefinitionDocument, parseDefinition } from './definition-document';
import { Defined, DefinitionReader } from './definition-reader';
import { DefinitionWriter } from './definition-writer';
import type { DefinitionChange, DefinitionChanges } from './definition.record';
import { concerned, runningExperiments, runningUsers } from './live-effect';
import { participantCounts } from './participants.store';

/** A project's definition as a document. */
@Injectable()
export class DefinitionService {
  constructor(
    private readonly database: Database,
    private readonly reader: DefinitionReader,
    private readonly writer: DefinitionWriter,
    private readonly projects: ProjectWriter,
    private readonly versions: ProjectVersionsStore,
    private readonly tags: Tags,
    private readonly clientKeys: ClientKeyCache,
  ) {}

  /**
   * The project's definition. Its version is a hash, because many writes in a project, such as a test of a webhook, do
   * not change the definition.
   */
  async show({ projectId }: Pick<ProjectPlace, 'projectId'>): Promise<Shown<Definition, string>> {
    const { read } = this.database;
    await this.requireLive(read, projectId);
    const { definition } = await this.reader.read(read, projectId);
    return new Shown(definition, hashOf(definition), projectId);
  }

  /**
   * Checks `If-Match` before the project is locked, so that outdated requests do not wait for other writes.
   * @throws PreconditionFailedError if the definition has changed
   */
  async requireMatch(scope: ProjectScope): Promise<void> {
    if (scope.ifMatch !== null) {
      const { record } = await this.show(scope);
      this.requireTag(scope, record);
    }
  }

  /**
   * Applies a document to the project in one transaction. Checks `If-Match` before the document, so that 412 takes
   * precedence over 422.
   * @param failures failures in the rest of the request
   * @throws ValidationError with paths into the document @throws PreconditionFailedError if the definition has changed
   */
  async apply(
    scope: ProjectScope,
    body: unknown,
    options: ApplyOptions,
    failures: Failures,
  ): Promise<Shown<DefinitionChanges, string>> {
    const { projectId } = scope;
    const shown = await this.projects.together(projectId, async (tx) => {
      const before = await this.reader.read(tx, projectId);
      this.requireTag(scope, before.definition);
      const document = parseDefinition(body, before.definition, failures);
      const application = new Application(scope, document, options, before);
      await this.writer.write(application);
      application.failures.throwIfAny();
      const after = await this.reader.read(tx, projectId);
      const changes = await this.changes(tx, before, after, document);
      return new Shown({ changes }, hashOf(after.definition), projectId);
    });
    this.clientKeys.forget(projectId);
    return shown;
  }

  private async changes(
    tx: Tx,
    before: Defined,
    after: Defined,
    document: DefinitionDocument,
  ): Promise<DefinitionChange[]> {
    const all = [
      ...differences(before.definition, after.definition),
      ...remaining(after.definition, document),
    ];
    const running = runningExperiments(before.definition, after.definition);
    const users = runningUsers(before.definition, after.definition);
    const idOf = (name: string): number =>
      before.experiments.get(name)?.id ?? after.experiments.get(name)?.id ?? 0;
    const effects = await mapInTurns(all, (difference) => ({
      difference,
      touched: concerned(difference, running, users),
    }));
    const ids = new Set(effects.flatMap(({ touched }) => touched.map(idOf)));
    const counts = await participantCounts(tx, [...ids]);
    return effects.map(({ difference, touched }) => {
      const { isSeen: _isSeen, ...change } = difference;
      const participants = touched.reduce((sum, name) => sum + (counts.get(idOf(name)) ?? 0), 0);
      return { ...change, live: touched.length > 0, participants };
    });
  }

  private requireTag({ projectId, ifMatch }: ProjectScope, definition: Definition): void {
    const tag = this.tags.record(projectId, hashOf(definition));
    if (ifMatch !== null && !matchesTag(ifMatch, tag)) {
      throw new PreconditionFailedError();
    }
  }

  private async requireLive(manager: EntityManager, projectId: number): Promise<void> {
    if (!(await this.versions.ofLiveProjects(manager, [projectId])).has(projectId)) {
      throw new NotFoundError();
    }
  }
}

function hashOf(definition: Definition): string {
  return createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 32);
}
