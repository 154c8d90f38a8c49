import type { User } from '../../users/user.entities';
import type { UserRecord, UsersService } from '../../users/users.service';
import { addCommand, CommandGroup } from '../command';
import type { AdminContext } from '../context';
import { email, name, optional, rateLimit, required } from '../options';
import { tableText } from '../output';
import { hasPassword, passwordStdin, readPassword } from '../password';
import { RefusedError, UsageError } from '../refusals';
import { findUser } from './lookups';

const emailOption = required('--email <address>', 'e-mail address of the user', email);

const WITH_PASSWORD = 'On a terminal, the command prompts for the password; otherwise, use --password-stdin';

/** Changes one user and returns the record. */
async function changeUser<R extends UserRecord>(
  context: AdminContext,
  address: string,
  change: (users: UsersService, user: User) => Promise<R | null>,
): Promise<R> {
  const users = await context.users();
  const record = await change(users, await findUser({ users }, address));
  if (record === null) {
    throw new RefusedError(`There is no user with the e-mail address ${address}.`);
  }
  return record;
}

function addCreate(group: CommandGroup): void {
  addCommand(group, {
    name: 'users:create',
    summary: 'Create a user',
    details: `${WITH_PASSWORD}. A user without a password can use API tokens, but cannot sign in`,
    options: {
      email: emailOption,
      name: required('--name <name>', 'name of the user', name),
      rateLimit: optional(
        '--rate-limit <number>',
        "API requests per minute; 0 = unlimited; the server's default if omitted",
        rateLimit,
      ),
      passwordStdin,
    },
    examples: [
      '--email ada@example.com --name "Ada Lovelace"',
      '--email ci@example.com --name CI --rate-limit 600 --json',
      '--email ada@example.com --name "Ada Lovelace" --password-stdin < password.txt',
    ],
    run: async (values, context) => {
      const users = await context.users();
      const password = await readPassword(values.passwordStdin, ' (empty for none)');
      const { email: address, name: ownName, rateLimit: limit = null } = values;
      const user = {
        email: address,
        name: ownName,
        rate_limit: limit,
        password: password === '' ? null : password,
      };
      const record = await users.create(user, 'admin');
      if (record === null) {
        throw new RefusedError(`A user with the e-mail address ${address} already exists.`);
      }
      return record;
    },
  });
}

function addList(group: CommandGroup): void {
  addCommand(group, {
    name: 'users:list',
    summary: 'List the users',
    options: { email: optional('--email <address>', 'only the user with this e-mail address', email) },
    examples: ['', '--json'],
    run: async ({ email: address }, context) => {
      const users = await context.users();
      const all = await users.list();
      if (address === undefined) {
        return all;
      }
      const { id } = await findUser({ users }, address);
      return all.filter((user) => user.id === id);
    },
    show: (users) => {
      const columns = [
        'id',
        'email',
        'name',
        'rate_limit',
        'has_password',
        'disabled_at',
        'created_at',
      ] as const;
      return tableText(users, columns, 'There are no users.');
    },
  });
}

function addSetPassword(group: CommandGroup): void {
  addCommand(group, {
    name: 'users:set-password',
    summary: "Set a user's password",
    details: WITH_PASSWORD,
    options: { email: emailOption, passwordStdin },
    examples: ['--email ada@example.com', '--email ada@example.com --password-stdin < password.txt'],
    run: async ({ email: address, passwordStdin: fromStdin }, context) => {
      if (!hasPassword(fromStdin)) {
        throw new UsageError('Without a terminal, use --password-stdin to pass the password.');
      }
      // Opens the database first, so users do not enter a password for the wrong database.
      await context.users();
      const password = (await readPassword(fromStdin, '')) ?? '';
      if (password === '') {
        throw new RefusedError('No password was given.');
      }
      return changeUser(context, address, (users, { id }) => users.setPassword(id, password, 'admin'));
    },
  });
}

function addSetRateLimit(group: CommandGroup): void {
  addCommand(group, {
    name: 'users:set-rate-limit',
    summary: "Limit a user's API requests",
    details: "The limit applies to all of the user's tokens together. The new limit applies within 5 seconds",
    options: {
      email: emailOption,
      rateLimit: required('--rate-limit <number>', 'requests per minute; 0 = unlimited', rateLimit),
    },
    examples: ['--email ci@example.com --rate-limit 600', '--email ci@example.com --rate-limit 0'],
    run: ({ email: address, rateLimit: limit }, context) =>
      changeUser(context, address, (users, { id }) => users.setRateLimit(id, limit, 'admin')),
  });
}

function addUnlink(group: CommandGroup): void {
  addCommand(group, {
    name: 'users:unlink',
    summary: 'Unlink a user from their OpenID Connect account',
    details:
      "The user is then linked to the next account that signs in with the user's verified e-mail address. All of the user's sessions end. unlinked lists the unlinked providers; it is empty if no account was linked",
    options: { email: emailOption },
    examples: ['--email ada@example.com'],
    run: ({ email: address }, context) =>
      changeUser(context, address, (users, { id }) => users.unlink(id, 'admin')),
  });
}

function addDisableAndEnable(group: CommandGroup): void {
  addCommand(group, {
    name: 'users:disable',
    summary: 'Disable a user',
    details:
      "The user cannot sign in, and the user's tokens stop working within 5 seconds; nothing is deleted. Unused invitation links of teams that the user administers stop working",
    options: { email: emailOption },
    examples: ['--email ada@example.com'],
    run: ({ email: address }, context) =>
      changeUser(context, address, (users, { id }) => users.disable(id, 'admin')),
  });
  addCommand(group, {
    name: 'users:enable',
    summary: 'Enable a disabled user',
    options: { email: emailOption },
    examples: ['--email ada@example.com'],
    run: ({ email: address }, context) =>
      changeUser(context, address, (users, { id }) => users.enable(id, 'admin')),
  });
}

export function addUserCommands(group: CommandGroup): void {
  addCreate(group);
  addList(group);
  addSetPassword(group);
  addSetRateLimit(group);
  addUnlink(group);
  addDisableAndEnable(group);
}
