import { Injectable } from '@nestjs/common';
import type { ProjectPlace } from '../platform/access/scope';
import { NotFoundError } from '../common/errors/api-errors';
import { Tags } from '../common/http/etag';
import { Database } from '../database/database';
import { findGroup, groupsOf } from '../experiments/exclusion/exclusion-range.store';
import { ExperimentReader } from '../experiments/experiment-reader';
import { hasLostEvents } from '../experiments/experiment-run.store';
import type { StatusState } from '../experiments/experiment-status';
import type { ExperimentRecord } from '../experiments/experiment.record';
import type { ProjectRecord } from '../projects/project.record';
import { ProjectsService } from '../projects/projects.service';
import type { VariationRecord } from '../experiments/variations/variation.record';
import type { FormSubject } from './forms/console-form';
import { Crumb, experimentPagePath, projectPath } from './pages/console-page';

/** The experiment that a form is about. */
export interface ExperimentSubject extends FormSubject {
  project: ProjectRecord;
  experiment: ExperimentRecord;
  /** The experiment's exclusion group. */
  exclusionGroup: { id: number; name: string } | null;
  /** Whether the experiment's status can no longer change, because its events were removed. */
  areEventsRemoved: boolean;
  experimentTag: string;
  projectTag: string;
}

/** A variation of the experiment, with its ETag. */
export interface VariationSubject extends ExperimentSubject {
  variation: VariationRecord;
  variationTag: string;
}

/** Reads the experiments of forms, with their ETags. */
@Injectable()
export class ExperimentSubjects {
  constructor(
    private readonly projects: ProjectsService,
    private readonly experiments: ExperimentReader,
    private readonly tags: Tags,
    private readonly database: Database,
  ) {}

  /** The experiment and the variation in the path. */
  async readVariation(place: ProjectPlace): Promise<VariationSubject> {
    const { experiment, variation } = place.items;
    const subject = await this.read({ ...place, target: found(experiment) });
    return {
      ...subject,
      variation: found(subject.experiment.variations.find(({ id }) => id === variation?.id)),
      variationTag: this.tags.record(found(variation).id, found(variation).version),
    };
  }

  /** The exclusion groups that an experiment can join. */
  exclusionGroups({ projectId }: ProjectPlace): Promise<{ id: number; name: string }[]> {
    return groupsOf(this.database.read, projectId);
  }

  async read(place: ProjectPlace): Promise<ExperimentSubject> {
    const [project, experiment] = await Promise.all([
      this.projects.show(place),
      this.experiments.show(place, {}),
    ]);
    const { exclusion_group_id: groupId } = experiment.record;
    const { read } = this.database;
    return {
      role: place.role,
      project: project.record,
      experiment: experiment.record,
      exclusionGroup: groupId === null ? null : await findGroup(read, place.projectId, groupId),
      areEventsRemoved: await hasLostEvents(read, experiment.record),
      experimentTag: this.tags.record(experiment.id, experiment.version),
      projectTag: this.tags.record(project.id, project.version),
    };
  }
}

function found<T>(item: T | undefined): T {
  if (item === undefined) {
    throw new NotFoundError();
  }
  return item;
}

type Named = Pick<ExperimentSubject, 'project' | 'experiment'>;

interface Located {
  project: Pick<ProjectRecord, 'id'>;
  experiment: Pick<ExperimentRecord, 'id'>;
}

/** What determines the statuses to which the experiment can change. */
export const statusStateOf = ({
  experiment: { status, started_at },
  areEventsRemoved,
}: Pick<ExperimentSubject, 'experiment' | 'areEventsRemoved'>): StatusState => ({
  status,
  started: started_at !== null,
  areEventsRemoved,
});

/** The path of the experiment's page. */
export const pagePathOf = ({ project, experiment }: Located): string =>
  experimentPagePath(project.id, experiment.id);

/** The path of the experiment in the API. */
export const apiPathOf = (named: Named): string => `/api${pagePathOf(named)}`;

/** The breadcrumbs from the project to the experiment. */
export const experimentCrumbs = (named: Named): Crumb[] => [
  { path: projectPath(named.project.id), name: named.project.name },
  { path: pagePathOf(named), name: named.experiment.name },
];

/** The path of a variation's form. */
export const variationPagePath = (named: Located, variationId: number): string =>
  `${pagePathOf(named)}/variations/${variationId}/edit`;

/** The path of the form that adds a variation. */
export const newVariationPath = (named: Named): string => `${pagePathOf(named)}/variations/new`;
