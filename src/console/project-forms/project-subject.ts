import { Injectable } from '@nestjs/common';
import type { ProjectPlace } from '../../platform/access/scope';
import { Tags } from '../../common/http/etag';
import { AUDIENCES } from '../../resources/audiences/audiences.resource';
import type { EnvironmentRecord } from '../../resources/environments/environment.record';
import { ENVIRONMENTS } from '../../resources/environments/environments.resource';
import { GOALS } from '../../resources/goals/goals.resource';
import { PAGES } from '../../resources/pages/pages.resource';
import type { ProjectRecord } from '../../projects/project.record';
import { ProjectsService } from '../../projects/projects.service';
import type { Resource } from '../../projects/resources/resource';
import type { ProjectSettingsRecord } from '../../projects/settings/project-settings.record';
import { ProjectSettingsService } from '../../projects/settings/project-settings.service';
import { ResourceItems } from '../../resources/registry';
import type { FormSubject } from '../forms/console-form';
import type { SelectOption } from '../pages/form-fields';

/** Maximum number of records that a form offers. */
export const MAX_OFFERED = 100;

/** The project that a form is about. */
export interface ProjectSubject extends FormSubject {
  project: ProjectRecord;
  projectTag: string;
}

export interface SettingsSubject extends ProjectSubject {
  settings: ProjectSettingsRecord;
  settingsTag: string;
}

export interface EnvironmentSubject extends ProjectSubject {
  environment: EnvironmentRecord;
  environmentTag: string;
}

/** A project with the records that a new record can refer to. */
export interface OfferingSubject extends ProjectSubject {
  audiences: readonly SelectOption[];
  goals: readonly SelectOption[];
  pages: readonly SelectOption[];
}

interface Named {
  id: number;
  name: string;
  api_name: string;
}

/** The options for records. Records with the same name also show their API names, which are unique. */
export function optionsFor(records: readonly Named[]): SelectOption[] {
  const repeats = (name: string): boolean => records.filter((other) => other.name === name).length > 1;
  return records.map(({ id, name, api_name }) => ({
    value: String(id),
    label: repeats(name) ? `${name} (${api_name})` : name,
  }));
}

/** Reads the projects of forms, with their ETags. */
@Injectable()
export class ProjectSubjects {
  constructor(
    private readonly projects: ProjectsService,
    private readonly settings: ProjectSettingsService,
    private readonly items: ResourceItems,
    private readonly tags: Tags,
  ) {}

  async read(place: ProjectPlace): Promise<ProjectSubject> {
    const { record: project, id, version } = await this.projects.show(place);
    return { role: place.role, project, projectTag: this.tags.record(id, version) };
  }

  async readSettings(place: ProjectPlace): Promise<SettingsSubject> {
    const { record: settings, id, version } = await this.settings.show(place);
    return { ...(await this.read(place)), settings, settingsTag: this.tags.record(id, version) };
  }

  /** The environment in the path, with its project. */
  async readEnvironment(place: ProjectPlace): Promise<EnvironmentSubject> {
    const { record, id, version } = await this.items.of(ENVIRONMENTS).show(place);
    const environment = record as EnvironmentRecord;
    return { ...(await this.read(place)), environment, environmentTag: this.tags.record(id, version) };
  }

  async readOffering(place: ProjectPlace): Promise<OfferingSubject> {
    return {
      ...(await this.read(place)),
      audiences: await this.optionsOf(AUDIENCES, place),
      goals: await this.goals(place),
      pages: await this.optionsOf(PAGES, place),
    };
  }

  /** The first goals of the project by name. */
  goals(place: ProjectPlace): Promise<SelectOption[]> {
    return this.optionsOf(GOALS, place);
  }

  private async optionsOf(resource: Resource, { projectId }: ProjectPlace): Promise<SelectOption[]> {
    const query = { sort: 'name', page: '1', per_page: String(MAX_OFFERED) };
    const { rows } = await this.items.of(resource).list({ projectId }, query);
    return optionsFor(rows as Named[]);
  }
}
