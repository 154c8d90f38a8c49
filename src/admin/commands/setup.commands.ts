import { addCommand, CommandGroup } from '../command';
import { email, name, required } from '../options';
import { printableLine, textBlock } from '../output';
import { passwordStdin, readPassword } from '../password';
import { RefusedError, UsageError } from '../refusals';
import type { Setup } from '../setup.service';

export function addSetupCommands(group: CommandGroup): void {
  addCommand(group, {
    name: 'setup',
    summary: 'Create the first user, team, project and API token',
    details:
      'The user, team, project and token are created in one transaction. The user is an admin of the team. On a terminal, the command prompts for the password; otherwise, use --password-stdin',
    options: {
      email: required('--email <address>', 'e-mail address of the user', email),
      name: required('--name <name>', 'name of the user', name),
      team: required('--team <name>', 'name of the team', name),
      project: required('--project <name>', 'name of the project, usually the name of the site', name),
      passwordStdin,
    },
    examples: [
      '--email ada@example.com --name "Ada Lovelace" --team Growth --project Shop',
      '--email ada@example.com --name Ada --team Growth --project Shop --password-stdin --json < password.txt',
    ],
    run: async ({ passwordStdin: fromStdin, ...installation }, context) => {
      // Opens the database first, so users do not enter a password for the wrong database.
      const { setup } = await context.services();
      const password = await readPassword(fromStdin, '');
      if (password === null) {
        throw new UsageError('Without a terminal, use --password-stdin to pass the password.');
      }
      if (password === '') {
        throw new RefusedError('No password was given.');
      }
      return setup.run({ ...installation, password });
    },
    show: setupText,
  });
}

/** The output of `setup`: the created records, the token and the next steps. */
function setupText({ server, user, team, project, token }: Setup): string {
  const made: string[][] = [
    ['User', `${user.email} (${user.id})`],
    ['Team', `${team.name} (${team.id})`],
    ['Project', `${project.name} (${project.id})`],
  ];
  const addresses: string[][] = [
    ['Sign in', `${server}/login`],
    ['API reference', `${server}/docs`],
  ];
  return [
    'Created:',
    textBlock(made.map((row) => row.map(printableLine))),
    '',
    "The user's API token (read & write). Save it now: it cannot be shown again.",
    `  ${token.token}`,
    '',
    'Addresses, once the server is running:',
    textBlock(addresses),
    '',
    "The site's script. Put it in the <head> of every page:",
    `  <script src="${project.snippet_url}"></script>`,
    '',
    'A first request:',
    `  curl -H "Authorization: Bearer ${token.token}" "${server}/api/projects/${project.id}"`,
  ].join('\n');
}
