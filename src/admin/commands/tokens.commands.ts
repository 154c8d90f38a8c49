import { expiryIn, LimitedTo, MAX_TOKEN_PROJECTS, TokenPermission } from '../../users/tokens/tokens.service';
import type { Services } from '../application';
import { addCommand, CommandGroup } from '../command';
import { days, email, id, listOf, name, oneOf, optional, required } from '../options';
import { recordText, tableText } from '../output';
import { RefusedError } from '../refusals';
import { findUser } from './lookups';

const PERMISSIONS: Record<TokenPermission, string> = { read: 'read only', write: 'read & write' };

const emailOption = required('--email <address>', "e-mail address of the token's user", email);

const projectText = ({ id: projectId, name: projectName }: LimitedTo): string =>
  projectName === null ? String(projectId) : `${projectName} (${projectId})`;

/**
 * The requested projects of a user. @throws RefusedError if the user is not allowed to see one of them, or there are
 * too many
 */
async function ownProjects(
  { tokens }: Services,
  userId: number,
  asked: readonly number[],
): Promise<number[]> {
  const known = (await tokens.projectsOf(userId)).map((project) => project.id);
  const unknown = asked.filter((projectId) => !known.includes(projectId));
  if (unknown.length > 0) {
    throw new RefusedError(`The user cannot see project ${unknown.join(', ')}.`);
  }
  const ids = [...new Set(asked)];
  if (ids.length > MAX_TOKEN_PROJECTS) {
    throw new RefusedError(`A token can be limited to at most ${MAX_TOKEN_PROJECTS} projects.`);
  }
  return ids;
}

export function addTokenCommands(group: CommandGroup): void {
  addCommand(group, {
    name: 'tokens:create',
    summary: 'Create an API token for a user',
    details: "The token is printed only once. Its permissions also depend on the user's roles",
    options: {
      email: emailOption,
      name: required('--name <name>', 'what the token is for', name),
      permission: required('--permission <permission>', 'what the token may do', oneOf(PERMISSIONS)),
      expiresDays: optional(
        '--expires-days <days>',
        'days until the token expires; by default, it never expires',
        days,
      ),
      project: optional(
        '--project <id>',
        "id of a project that the token is limited to; repeatable; by default, all of the user's projects",
        listOf(id),
      ),
    },
    examples: [
      '--email ci@example.com --name Dashboard --permission read',
      '--email ci@example.com --name CI --permission write --json',
      '--email ci@example.com --name CI --permission write --expires-days 90 --project 1 --project 2',
    ],
    run: async ({ email: address, name: tokenName, permission, expiresDays, project }, context) => {
      const services = await context.services();
      const { id: userId } = await findUser(services, address);
      return services.tokens.issue(userId, tokenName, permission, 'admin', {
        expiresAt: expiresDays === undefined ? null : expiryIn(expiresDays),
        projectIds: project === undefined ? null : await ownProjects(services, userId, project),
      });
    },
    show: (token) => `${recordText(token)}\n\nSave the token now: it cannot be shown again.`,
  });
  addCommand(group, {
    name: 'tokens:list',
    summary: "List a user's API tokens",
    options: { email: emailOption },
    examples: ['--email ci@example.com', '--email ci@example.com --json'],
    run: async ({ email: address }, context) => {
      const services = await context.services();
      const { id: userId } = await findUser(services, address);
      return services.tokens.list(userId);
    },
    show: (tokens) =>
      tableText(
        tokens.map(({ projects, ...token }) => ({ ...token, projects: projects?.map(projectText) ?? 'all' })),
        ['id', 'name', 'abilities', 'last_used_at', 'created_at', 'expires_at', 'projects'],
        'There are no tokens.',
      ),
  });
  addCommand(group, {
    name: 'tokens:revoke',
    summary: 'Revoke an API token',
    details: 'It stops working within 5 seconds. This cannot be undone',
    options: { id: required('--id <id>', 'token id, as shown by tokens:list', id) },
    examples: ['--id 12'],
    run: async ({ id: tokenId }, context) => {
      const { tokens } = await context.services();
      if (!(await tokens.revoke(tokenId, 'admin'))) {
        throw new RefusedError(`There is no token ${tokenId}.`);
      }
      return { id: tokenId, revoked: true };
    },
  });
}
