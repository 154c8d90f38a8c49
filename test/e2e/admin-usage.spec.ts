import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { AdminAnswer, AdminCommand } from '../support/admin';

/** An unreachable database. A command that connects before it checks its usage fails with a different error. */
const NO_DATABASE = 'mysql://root@127.0.0.1:1/none';

const COMMANDS: Record<string, string[]> = {
  setup: ['--email', '--name', '--team', '--project', '--password-stdin'],
  'users:create': ['--email', '--name', '--rate-limit', '--password-stdin'],
  'users:list': [],
  'users:set-password': ['--email', '--password-stdin'],
  'users:set-rate-limit': ['--email', '--rate-limit'],
  'users:unlink': ['--email'],
  'users:disable': ['--email'],
  'users:enable': ['--email'],
  'teams:create': ['--name'],
  'teams:list': [],
  'teams:add-member': ['--team', '--email', '--role'],
  'teams:set-role': ['--team', '--email', '--role'],
  'teams:remove-member': ['--team', '--email'],
  'projects:create': ['--team', '--name', '--storage'],
  'projects:set-method': ['--project', '--method', '--correction'],
  'environments:create': ['--project', '--name', '--code-file', '--default'],
  'environments:update': ['--project', '--name', '--code-file', '--default'],
  'environments:delete': ['--project', '--name'],
  'tokens:create': ['--email', '--name', '--permission', '--expires-days', '--project'],
  'tokens:list': ['--email'],
  'tokens:revoke': ['--id'],
  'events:import': ['--project', '--file', '--format'],
  'results:rebuild': ['--project', '--experiment'],
  'publications:list': ['--project', '--revision'],
  'publications:rollback': ['--project', '--revision'],
  'shares:rotate': ['--experiment'],
  'previews:rotate': ['--experiment'],
  'trash:list': [],
  'trash:restore': ['--type', '--id'],
  'trash:purge': ['--type', '--id'],
  'db:migrate': [],
  'db:after-restore': [],
  'db:seed-demo': [],
};

const USER = ['--email', 'ada@example.com'];
const TOKEN = ['tokens:create', ...USER, '--name', 'CI', '--permission', 'read'];
const ENVIRONMENT = ['--project', '1', '--name', 'Staging'];

/** The problem, the arguments, and the text that the error message must contain. */
const WRONG_USAGE: [what: string, args: string[], named: string][] = [
  ['an unknown command', ['users:remove'], 'users:remove'],
  ['an unknown option', ['users:list', '--colour'], '--colour'],
  ['an extra argument', ['users:list', 'ada@example.com'], 'users:list'],
  ['a missing option', ['users:create', ...USER], '--name'],
  ['an option without its value', ['users:create', ...USER, '--name'], '--name'],
  ['an invisible name', ['users:create', ...USER, '--name', '\u200b'], '--name'],
  ['an empty name', ['users:create', ...USER, '--name', '  '], '--name'],
  ['a name of 256 characters', ['teams:create', '--name', 'é'.repeat(256)], '255'],
  ['an invalid e-mail address', ['users:create', '--email', 'ada', '--name', 'Ada'], '--email'],
  ['an e-mail address of 256 characters', ['users:disable', '--email', `${'a'.repeat(251)}@b.de`], '255'],
  ['a negative rate limit', ['users:set-rate-limit', ...USER, '--rate-limit', '-1'], '--rate-limit'],
  ['a fractional rate limit', ['users:set-rate-limit', ...USER, '--rate-limit', '1.5'], '--rate-limit'],
  ['a team that is not a number', ['teams:set-role', '--team', 'abc', ...USER, '--role', 'viewer'], '--team'],
  ['the id 0', ['tokens:revoke', '--id', '0'], '--id'],
  ['two ids', ['tokens:revoke', '--id', '3', '--id', '2'], 'more than once'],
  [
    'the same visitor twice',
    ['visitors:delete', '--project', '1', '--visitor', 'u5', '--visitor', 'u5'],
    'more than once',
  ],
  ['an id above the maximum', ['tokens:revoke', '--id', '2147483648'], '--id'],
  ['an unknown role', ['teams:add-member', '--team', '1', ...USER, '--role', 'owner'], 'publisher'],
  ['an unknown permission', ['tokens:create', ...USER, '--name', 'CI', '--permission', 'all'], 'write'],
  ['a token that expires after 0 days', [...TOKEN, '--expires-days', '0'], '--expires-days'],
  ['a token for more than ten years', [...TOKEN, '--expires-days', '3651'], '--expires-days'],
  ['a project that is not a number', [...TOKEN, '--project', '1', '--project', 'Shop'], '--project'],
  [
    'an unknown storage',
    ['projects:create', '--team', '1', '--name', 'A', '--storage', 'disk'],
    'localStorage',
  ],
  ['an unknown method', ['projects:set-method', '--project', '1', '--method', 'guess'], 'bayesian'],
  [
    'an unknown correction',
    ['projects:set-method', '--project', '1', '--method', 'bayesian', '--correction', 'x'],
    'holm',
  ],
  ['an import without a file', ['events:import', '--project', '1'], '--file'],
  ['an import without a project', ['events:import', '--file', 'events.csv'], '--project'],
  ['an unknown format', ['events:import', '--project', '1', '--file', 'a.csv', '--format', 'xml'], 'ndjson'],
  ['an experiment that is not a number', ['results:rebuild', '--experiment', 'x'], '--experiment'],
  ['a share link without an experiment', ['shares:rotate'], '--experiment'],
  ['preview links without an experiment', ['previews:rotate'], '--experiment'],
  ['an unknown type', ['trash:restore', '--type', 'goal', '--id', '1'], 'experiment'],
  ['a type without an id', ['trash:purge', '--type', 'project'], '--id'],
  [
    'a file name without a known format',
    ['events:import', '--project', '1', '--file', 'events.txt'],
    'events.txt: add --format',
  ],
  ['nothing to update', ['environments:update', ...ENVIRONMENT], '--code-file'],
  ['a password without a source', ['users:set-password', ...USER], '--password-stdin'],
  [
    'a password on the command line',
    ['users:set-password', ...USER, '--password', 'correct horse'],
    '--password',
  ],
];

describe('the admin command line', () => {
  const admin = new AdminCommand(NO_DATABASE);
  afterAll(() => admin.remove());

  it('lists every command with its purpose', async () => {
    const { code, stdout } = await admin.runAlone(['--help']);
    expect(code).toBe(0);
    for (const name of Object.keys(COMMANDS)) {
      expect(stdout).toMatch(new RegExp(`^  ${name}( \\[options\\])? +[A-Z][a-z]+ `, 'm'));
    }
  });

  it('explains each command with its options and examples, without a database', async () => {
    for (const [name, options] of Object.entries(COMMANDS)) {
      const { code, stdout, stderr } = await admin.run([name, '--help']);
      expect([name, code, stderr]).toEqual([name, 0, '']);
      expect(stdout).toContain(`npm run -s admin -- ${name} `);
      expect(stdout).toContain('--json');
      expect(stdout.split('Examples:')[1]).toContain(`npm run -s admin -- ${name}`);
      for (const option of options) {
        expect(stdout).toMatch(new RegExp(`^  ${option}\\b`, 'm'));
      }
    }
  });

  it('exits without an error if the reader closes the pipe early, even while it prints help', () => {
    const command = `node ${join(__dirname, '../../dist/src/admin.js')} --help | true`;
    const { status, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${command}`], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('explains that team admins manage the members', async () => {
    const { stdout } = await admin.run(['teams:add-member', '--help']);
    expect(stdout).toMatch(/^ +admin +also manages members/m);
  });

  it('hides options for internal scripts', async () => {
    const { stdout } = await admin.run(['db:seed-demo', '--help']);
    expect(stdout).not.toContain('quickstart');
  });

  it.each(WRONG_USAGE)('exits with code 2 on %s', async (_what, args, named) => {
    const answer = await admin.run([...args, '--json']);
    expect(answer).toEqual<AdminAnswer>({ code: 2, stdout: '', stderr: expect.stringContaining(named) });
    expect(answer.stderr).not.toMatch(/^\s+at /m);
  });

  it('exits with code 2 and the help text without a command', async () => {
    const answer = await admin.runAlone([]);
    expect(answer).toEqual<AdminAnswer>({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('users:create'),
    });
  });

  it('suggests a similar command for an unknown one', async () => {
    const { code, stderr } = await admin.run(['user:list']);
    expect(code).toBe(2);
    expect(stderr).toContain('users:list');
  });

  it('exits with code 1 and a one-line message if the database is unreachable', async () => {
    for (const args of [['users:list'], ['db:migrate'], ['db:seed-demo']]) {
      const answer = await admin.runAlone([...args, '--json']);
      expect(answer).toEqual<AdminAnswer>({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^The database cannot be opened: .*127\.0\.0\.1:1.*\n$/),
      });
    }
  });

  it('exits with code 1 and the variable name if the configuration is invalid', async () => {
    const answer = await new AdminCommand('postgres://localhost/x').run(['users:list']);
    expect(answer).toEqual<AdminAnswer>({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('DATABASE_URL'),
    });
  });
});
