import { type Crumb, definitionsPath, projectPath } from '../pages/console-page';
import type { DefinitionKind } from '../definitions/definitions';
import type { EnvironmentSubject, ProjectSubject } from './project-subject';

export const editProjectPath = (projectId: number): string => `${projectPath(projectId)}/edit`;

export const editSettingsPath = (projectId: number): string => `${projectPath(projectId)}/settings/edit`;

export const newProjectPath = (teamId: number): string => `/teams/${teamId}/projects/new`;

export const newExperimentPath = (projectId: number): string => `${projectPath(projectId)}/experiments/new`;

export const newGoalPath = (projectId: number): string => `${projectPath(projectId)}/goals/new`;

export const newPagePath = (projectId: number): string => `${projectPath(projectId)}/pages/new`;

export const newAudiencePath = (projectId: number): string => `${projectPath(projectId)}/audiences/new`;

export const newExclusionGroupPath = (projectId: number): string =>
  `${projectPath(projectId)}/exclusion-groups/new`;

/** The path for changing a project's environments, both in the console and under `/api`. */
export const environmentsPath = (projectId: number): string =>
  `${projectPath(projectId)}/settings/environments`;

export const newEnvironmentPath = (projectId: number): string => `${environmentsPath(projectId)}/add`;

interface Located {
  project: Pick<EnvironmentSubject['project'], 'id'>;
  environment: Pick<EnvironmentSubject['environment'], 'id'>;
}

/** The path of an environment form. */
export const environmentPath = ({ project, environment }: Located, form: 'edit' | 'delete'): string =>
  `${environmentsPath(project.id)}/${environment.id}/${form}`;

/** The page with the definitions of a kind. */
export const listPath = (projectId: number, kind: DefinitionKind): string =>
  `${definitionsPath(projectId)}?kind=${kind}`;

export const projectCrumbs = ({ project }: ProjectSubject): Crumb[] => [
  { path: projectPath(project.id), name: project.name },
];

/** Breadcrumbs from the project to its list of definitions of one kind. */
export const listCrumbs = (subject: ProjectSubject, kind: DefinitionKind, name: string): Crumb[] => [
  ...projectCrumbs(subject),
  { path: listPath(subject.project.id, kind), name },
];
