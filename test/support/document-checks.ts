import { parse } from 'acorn';
import { load } from 'js-yaml';
import { transpileModule } from 'typescript';
import { Block, blocksOf, proseOf, readDocument, stepsOf } from './documents';
import { LeftOut, runDocument } from './document-run';

/* The checks that every document must pass. Blocks that no test can run or compare are listed with the reason. */

const BUILDS = 'installs or builds the project itself, or starts a server that goes on';
const TESTS = 'is what runs the tests, or takes minutes';
const COPY = 'refuses a database that a server uses; test/e2e/database-copy.spec.ts runs it';
const RESTORE = 'refuses a database that a server uses; test/e2e/restored-database.spec.ts runs it';
const CLICKHOUSE = 'needs ClickHouse; test/e2e/events-move.spec.ts runs it';
const DOCKER = 'needs Docker; docker.spec.ts runs what the container runs';
const CLIENT = 'test/e2e/client-example.spec.ts builds the client and runs its example';

export const LEFT_OUT: Readonly<Record<string, readonly LeftOut[]>> = {
  'README.md': [
    { begins: 'git clone', reason: BUILDS },
    { begins: 'npm run quickstart', reason: BUILDS },
    { begins: 'npm ci', reason: BUILDS },
    {
      begins: 'npm run -s admin -- setup',
      reason: 'asks for a password; test/e2e/first-run.spec.ts runs it',
    },
    { begins: 'grep -qs ^SESSION_SECRET', reason: DOCKER },
  ],
  'docs/production.md': [
    { begins: 'npm ci', reason: BUILDS },
    { begins: 'grep -qs ^SESSION_SECRET', reason: DOCKER },
    { begins: 'grep -qs ^CLICKHOUSE_PASSWORD', reason: DOCKER },
    { begins: 'docker compose -f docker-compose.yml config', reason: DOCKER },
    { begins: 'docker compose up -d --wait clickhouse', reason: DOCKER },
    { begins: 'umask 077\ndocker compose exec -T mysql', reason: DOCKER },
    { begins: 'docker compose stop server', reason: DOCKER },
    { begins: 'export EVENTS_URL=', reason: CLICKHOUSE },
    { begins: 'npm run -s admin -- events:move', reason: CLICKHOUSE },
    { begins: 'npm run -s admin -- db:copy', reason: COPY },
    { begins: 'Copied 13,118 rows', reason: COPY },
    { begins: 'npm run -s admin -- db:after-restore', reason: RESTORE },
    { begins: 'Skipped 1,144,000 numbers', reason: RESTORE },
  ],
  'docs/contributing.md': [
    { begins: 'npm test', reason: TESTS },
    { begins: 'git clone', reason: BUILDS },
  ],
  'docs/troubleshooting.md': [{ begins: 'script-src', reason: 'an example of a third-party policy' }],
  'docs/as-code.md': [
    { begins: 'gosset export', reason: 'test/e2e/client-command.spec.ts runs the command' },
  ],
  'docs/performance.md': [{ begins: 'npm run bench', reason: TESTS }],
  'docs/architecture.md': [
    { begins: '            scripts, integrations', reason: 'a drawing' },
    { begins: '  metrics, trace    duration', reason: 'a drawing' },
  ],
  'clients/typescript/README.md': [
    { begins: 'npm install', reason: CLIENT },
    { begins: 'GOSSET_TOKEN=', reason: CLIENT },
    { begins: 'Project: Shop', reason: CLIENT },
    { begins: 'export GOSSET_URL=', reason: 'test/e2e/client-command.spec.ts runs the command' },
  ],
};

/** The languages of blocks, and how a single block is checked if it is not the output of a command. */
const LANGUAGES: Readonly<Record<string, (text: string) => unknown>> = {
  sh: () => undefined,
  json: (text) => JSON.parse(text) as unknown,
  js: (text) => parse(text, { ecmaVersion: 'latest', sourceType: 'module' }),
  ts: (text) => expect(transpileModule(text, { reportDiagnostics: true }).diagnostics).toEqual([]),
  // Browsers check `integrity` only with `crossorigin`; without it, they block the script.
  html: (text) =>
    expect(text.replace(/\s+/g, ' ')).toMatch(
      /^<script ?src="https?:\/\/[^"/]+\/s\/pk_[^"/]+(?:\.js"|\/\d+\.js" integrity="sha384-[\w+/]{64}" crossorigin="anonymous" ?)><\/script> $/,
    ),
  // docs.spec.ts checks nginx and Caddy configurations.
  nginx: () => undefined,
  caddyfile: () => undefined,
  yaml: (text) => load(text),
  // events-export-cells.spec.ts runs SQL.
  sql: () => undefined,
  // docs-cookbook.spec.ts runs Python.
  python: () => undefined,
  ini: () => undefined,
};

/** Messages about failures that no command in a document can cause. Other tests cover them. */
const BY_FAILURES = ['Server Error', 'Service Unavailable'];

/** A capitalised phrase in backticks is assumed to be a message from the server. */
const MESSAGE = /`([A-Z][a-z]+ [^`{}<>=]*)`/g;

const DEADLINE_MS = 300_000;

/** Tests one document: its blocks are valid, its commands print the output shown, and its messages exist. */
export function testDocument(name: string): void {
  const document = readDocument(name);
  const blocks = blocksOf(document);
  const leftOut = LEFT_OUT[name] ?? [];

  it('has only blocks that tests check', () => {
    const printed = new Set(stepsOf(blocks, ['sh', 'python']).map((step) => step.printed));
    const isLeftOut = ({ text }: Block): boolean => leftOut.some(({ begins }) => text.startsWith(begins));
    for (const block of blocks.filter((each) => !printed.has(each) && !isLeftOut(each))) {
      expect(Object.keys(LANGUAGES)).toContain(block.language);
      LANGUAGES[block.language]?.(block.text);
    }
  });

  it('contains every block that is excluded from the tests', () => {
    const isThere = ({ begins }: LeftOut): boolean => blocks.some(({ text }) => text.startsWith(begins));
    expect(leftOut.filter((each) => !isThere(each))).toEqual([]);
  });

  it(
    'shows the output of its commands',
    async () => {
      const output = await runDocument(name, leftOut);
      const said = [output, ...blocks.map(({ text }) => text), ...BY_FAILURES].join('\n');
      const messages = [...proseOf(document).matchAll(MESSAGE)].map(([, message = '']) => message);
      expect(messages.filter((message) => !said.includes(message))).toEqual([]);
    },
    DEADLINE_MS,
  );
}
