import { NotFoundError } from '../../common/errors/api-errors';
import type { User } from '../../users/user.entities';
import type { Services } from '../application';
import { RefusedError } from '../refusals';

/** The user with an e-mail address. @throws RefusedError if there is no such user */
export async function findUser({ users }: Pick<Services, 'users'>, email: string): Promise<User> {
  const user = await users.findByEmail(email);
  if (user === null) {
    throw new RefusedError(`There is no user with the e-mail address ${email}.`);
  }
  return user;
}

/** Checks that a team exists. @throws RefusedError if there is no such team */
export async function requireTeam({ teams }: Services, teamId: number): Promise<void> {
  if (!(await teams.exists(teamId))) {
    throw new RefusedError(`There is no team ${teamId}.`);
  }
}

/** Checks that a project exists. @throws RefusedError if there is no such project, or it is in the trash */
export async function requireProject({ projects }: Services, projectId: number): Promise<void> {
  if (!(await projects.exists(projectId))) {
    throw new RefusedError(`There is no project ${projectId}.`);
  }
}

/**
 * Checks that a project and an experiment exist, if they are given.
 * @throws RefusedError if there is no such project or experiment, or the experiment is not in the project
 */
export async function requireScope(services: Services, project?: number, experiment?: number): Promise<void> {
  if (project !== undefined) {
    await requireProject(services, project);
  }
  if (experiment !== undefined) {
    const found = await services.experiments.live(experiment);
    if (found === null || (project !== undefined && found.project_id !== project)) {
      const where = found === null ? '' : ` in project ${project}`;
      throw new RefusedError(`There is no experiment ${experiment}${where}.`);
    }
  }
}

/** The result of a service call. @throws RefusedError that names the record if the service did not find it */
export async function orNoSuch<T>(what: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw error instanceof NotFoundError ? new RefusedError(`There is no ${what}.`) : error;
  }
}
