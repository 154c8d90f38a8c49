import type { TokenPermission } from '../../tokens/tokens.service';
import { addCommand, CommandGroup } from '../command';
import { email, id, name, oneOf, required } from '../options';
import { recordText, tableText } from '../output';
import { RefusedError } from '../refusals';
import { findUser } from './lookups';

const PERMISSIONS: Record<TokenPermission, string> = { read: 'read only', write: 'read & write' };

const emailOption = required('--email <address>', 'e-mail address of its user', email);

export function addTokenCommands(group: CommandGroup): void {
  addCommand(group, {
    name: 'tokens:create',
    summary: 'Create an API token for a user',
    details: 'Its text is printed only once. Its permissions also depend on the roles of its user',
    options: {
      email: emailOption,
      name: required('--name <name>', 'what the token is for', name),
      permission: required('--permission <permission>', 'what it may do', oneOf(PERMISSIONS)),
    },
    examples: [
      '--email ci@example.com --name Dashboard --permission read',
      '--email ci@example.com --name CI --permission write --json',
    ],
    run: async ({ email: address, name: tokenName, permission }, context) => {
      const services = await context.services();
      const { id: userId } = await findUser(services, address);
      return services.tokens.issue(userId, tokenName, permission, 'admin');
    },
    show: (token) => `${recordText(token)}\n\nKeep the token now: it cannot be shown again.`,
  });
  addCommand(group, {
    name: 'tokens:list',
    summary: 'List the API tokens of a user',
    options: { email: emailOption },
    examples: ['--email ci@example.com', '--email ci@example.com --json'],
    run: async ({ email: address }, context) => {
      const services = await context.services();
      const { id: userId } = await findUser(services, address);
      return services.tokens.list(userId);
    },
    show: (tokens) =>
      tableText(tokens, ['id', 'name', 'abilities', 'last_used_at', 'created_at'], 'There are no tokens.'),
  });
  addCommand(group, {
    name: 'tokens:revoke',
    summary: 'Revoke an API token',
    details: 'It stops working within 5 seconds. This cannot be undone',
    options: { id: required('--id <id>', 'id of the token, as tokens:list shows it', id) },
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
