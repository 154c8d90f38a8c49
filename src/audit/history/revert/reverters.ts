import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Permission } from '../../../platform/access/roles';
import type { ProjectScope, ResolvedItem } from '../../../platform/access/scope';
import type { Submission } from '../../../common/validation/submission';
import { type Tx } from '../../../database/database';
import {
  CreateEnvironment,
  EnvironmentRecord,
  UpdateEnvironment,
} from '../../../resources/environments/environment.record';
import { ENVIRONMENTS } from '../../../resources/environments/environments.resource';
import { EnvironmentsService } from '../../../resources/environments/environments.service';
import { ExperimentReader } from '../../../experiments/experiment-reader';
import { ExperimentRestore } from '../../../experiments/experiment-restore.service';
import { UpdateExperiment } from '../../../experiments/experiment.dto';
import { ExperimentRecord } from '../../../experiments/experiment.record';
import { ExperimentStore } from '../../../experiments/experiment.store';
import { ExperimentsService } from '../../../experiments/experiments.service';
import type { Kept } from '../../../projects/project-items';
import { ProjectRecord, UpdateProject } from '../../../projects/project.record';
import { ProjectsService } from '../../../projects/projects.service';
import {
  ProjectSettingsRecord,
  UpdateProjectSettings,
} from '../../../projects/settings/project-settings.record';
import { ProjectSettingsService } from '../../../projects/settings/project-settings.service';
import type { Resource } from '../../../projects/resources/resource';
import { ResourceItems, RESOURCES } from '../../../resources/registry';
import {
  CreateVariation,
  toVariationRecord,
  UpdateVariation,
  VariationRecord,
} from '../../../experiments/variations/variation.record';
import { VariationStore } from '../../../experiments/variations/variation.store';
import { VariationsService } from '../../../experiments/variations/variations.service';
import { notRevertible } from './decisions';
import type { Values } from './entry-values';

type Body = new () => object;
type Items = Readonly<Record<string, ResolvedItem>>;

/** The current state of the record that an entry concerns, and the items in the record's path. */
export interface Found {
  record: object;
  version: number;
  items: Items;
}

/** Undoes changes to one kind of record with the services behind its routes, which enforce all rules. */
export interface Reverter {
  /** The permission of the routes. Services check additional permissions. */
  permission: Permission;
  record: Body;
  /** The current record; null if it does not exist. */
  find(tx: EntityManager, projectId: number, id: number): Promise<Found | null>;
  /** Absent if the API cannot change the records. */
  update?: { body: Body; run(scope: ProjectScope, submission: Submission<object>): Promise<unknown> };
  remove?(scope: ProjectScope): Promise<void>;
  /** Inserts a deleted record again, with its old id. Without a body, takes the record out of the trash. */
  restore?: {
    body: Body | null;
    /** The items in the record's path. @throws ValidationError if one does not exist */
    items(tx: Tx, projectId: number, before: Values): Promise<Items>;
    run(scope: ProjectScope, submission: Submission<object>, kept: Kept): Promise<unknown>;
  };
}

const noItems = (): Promise<Items> => Promise.resolve({});

/** The reverters by item type in the audit log. */
@Injectable()
export class Reverters {
  private readonly all: ReadonlyMap<string, Reverter>;

  constructor(
    private readonly resources: ResourceItems,
    private readonly experimentRows: ExperimentStore,
    private readonly reader: ExperimentReader,
    private readonly experiments: ExperimentsService,
    private readonly trash: ExperimentRestore,
    private readonly variationRows: VariationStore,
    private readonly variations: VariationsService,
    private readonly projects: ProjectsService,
    private readonly settings: ProjectSettingsService,
    private readonly environments: EnvironmentsService,
  ) {
    this.all = new Map<string, Reverter>([
      ...RESOURCES.map((resource): [string, Reverter] => [resource.type, this.resource(resource)]),
      [ENVIRONMENTS.type, this.environment()],
      ['experiment', this.experiment()],
      ['variation', this.variation()],
      ['project', this.project()],
      ['project_settings', this.projectSettings()],
    ]);
  }

  /** The reverter; null for records outside projects, such as users. */
  of(itemType: string): Reverter | null {
    return this.all.get(itemType) ?? null;
  }

  private resource(resource: Resource): Reverter {
    const { writes, record, permission = 'definitions:write' } = resource;
    const items = this.resources.of(resource);
    const common = { permission, record, find: this.finder(resource) };
    // Fields that the audit log omits cannot be reverted.
    if (writes === undefined || resource.audited !== undefined) {
      return common;
    }
    return {
      ...common,
      update: { body: writes.update, run: (scope, submission) => items.update(scope, submission) },
      remove: (scope) => items.remove(scope),
      restore: {
        body: writes.create,
        items: noItems,
        run: (scope, submission, kept) => items.restore(scope, submission, kept),
      },
    };
  }

  private finder(resource: Resource): Reverter['find'] {
    return async (tx, projectId, id) => {
      const row = await this.resources.of(resource).store.findById(tx, id);
      return row?.project_id === projectId
        ? { record: resource.toRecord(row), version: row.version, items: {} }
        : null;
    };
  }

  /** Environments need their own reverter, because their routes differ from those of standard resources. */
  private environment(): Reverter {
    return {
      permission: 'environments:manage',
      record: EnvironmentRecord,
      find: this.finder(ENVIRONMENTS),
      update: {
        body: UpdateEnvironment,
        run: (scope, submission) => this.environments.updateOne(scope, submission),
      },
      remove: (scope) => this.environments.removeOne(scope),
      restore: {
        body: CreateEnvironment,
        items: noItems,
        run: (scope, submission, kept) => this.environments.restoreOne(scope, submission, kept),
      },
    };
  }

  private experiment(): Reverter {
    return {
      permission: 'definitions:write',
      record: ExperimentRecord,
      find: async (tx, projectId, id) => {
        const row = await this.experimentRows.findLive(tx, id);
        return row?.project_id === projectId
          ? { record: await this.reader.record(tx, row), version: row.version, items: {} }
          : null;
      },
      update: {
        body: UpdateExperiment,
        run: (scope, submission) => this.experiments.update(scope, submission),
      },
      remove: (scope) => this.experiments.remove(scope),
      restore: {
        body: null,
        items: noItems,
        run: async ({ projectId, actor: author }, _, { id }) => {
          if (!(await this.trash.restore({ projectId, author }, id))) {
            throw notRevertible('The experiment is no longer in the trash. Create it again.');
          }
        },
      },
    };
  }

  private variation(): Reverter {
    const parent = async (tx: EntityManager, projectId: number, id: number): Promise<Items | null> => {
      const row = await this.experimentRows.findLive(tx, id);
      return row?.project_id === projectId ? { experiment: { id, version: row.version } } : null;
    };
    return {
      permission: 'definitions:write',
      record: VariationRecord,
      find: async (tx, projectId, id) => {
        const row = await this.variationRows.findById(tx, id);
        const items = row && (await parent(tx, projectId, row.experiment_id));
        return row && items && { record: toVariationRecord(row, null), version: row.version, items };
      },
      update: {
        body: UpdateVariation,
        run: (scope, submission) => this.variations.update(scope, submission),
      },
      remove: (scope) => this.variations.remove(scope),
      restore: {
        body: CreateVariation,
        items: async (tx, projectId, { experiment_id: id }) => {
          const items = await parent(tx, projectId, Number(id));
          if (items === null) {
            throw notRevertible(`The variation's experiment (id ${String(id)}) no longer exists.`);
          }
          return items;
        },
        run: (scope, submission, kept) => this.variations.restore(scope, submission, kept),
      },
    };
  }

  private project(): Reverter {
    return {
      permission: 'project:settings',
      record: ProjectRecord,
      find: async (tx, projectId) => ({ ...(await this.projects.read(tx, projectId)), items: {} }),
      update: { body: UpdateProject, run: (scope, submission) => this.projects.update(scope, submission) },
    };
  }

  private projectSettings(): Reverter {
    return {
      permission: 'project:settings',
      record: ProjectSettingsRecord,
      find: async (tx, projectId) => ({ ...(await this.settings.read(tx, projectId)), items: {} }),
      update: {
        body: UpdateProjectSettings,
        run: (scope, submission) => this.settings.update(scope, submission),
      },
    };
  }
}
