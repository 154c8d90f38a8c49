import { parse } from 'acorn';
import { transpileModule } from 'typescript';
import { Block, blocksOf, proseOf, readDocument, stepsOf } from './documents';
import { LeftOut, runDocument } from './document-run';

/* What is checked of every document. What no test can run or compare is listed here, with the reason. */

const BUILDS = 'installs or builds the project itself, or starts a server that goes on';
const TESTS = 'is what runs the tests, or takes minutes';
const CLIENT = 'test/e2e/client-example.spec.ts builds the client and runs its example';

const LEFT_OUT: Readonly<Record<string, readonly LeftOut[]>> = {
  'README.md': [
    { begins: 'git clone', reason: BUILDS },
    { begins: 'npm run quickstart', reason: BUILDS },
  ],
  'docs/production.md': [
    { begins: 'npm ci', reason: BUILDS },
    { begins: 'docker compose', reason: 'needs Docker; docs.spec.ts parses the file' },
  ],
  'docs/contributing.md': [
    { begins: 'npm test', reason: TESTS },
    { begins: 'git clone', reason: BUILDS },
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
  ],
};

/** Languages of blocks that are not commands, and how one of them is checked by itself. */
const LANGUAGES: Readonly<Record<string, (text: string) => unknown>> = {
  sh: () => undefined,
  json: (text) => JSON.parse(text) as unknown,
  js: (text) => parse(text, { ecmaVersion: 'latest', sourceType: 'module' }),
  ts: (text) => expect(transpileModule(text, { reportDiagnostics: true }).diagnostics).toEqual([]),
  html: (text) => expect(text).toMatch(/^<script src="https?:\/\/[^"/]+\/s\/pk_[^"/]+\.js"><\/script>\n$/),
  // What is looked at by docs.spec.ts.
  nginx: () => undefined,
  ini: () => undefined,
};

/** What no command of a document can bring about; the tests of failures do. */
const BY_FAILURES = ['Server Error', 'Service Unavailable'];

/** A whole sentence or phrase in backticks is what the server says. */
const MESSAGE = /`([A-Z][a-z]+ [^`{}<>=]*)`/g;

const DEADLINE_MS = 300_000;

/** Tests of one document: its blocks are what they say they are, its commands do what it says, its messages exist. */
export function itSaysWhatIsSo(name: string): void {
  const document = readDocument(name);
  const blocks = blocksOf(document);
  const steps = stepsOf(blocks);
  const leftOut = LEFT_OUT[name] ?? [];

  it('has blocks that are checked, and no others', () => {
    const printed = new Set(steps.map((step) => step.printed));
    const isLeftOut = ({ text }: Block): boolean => leftOut.some(({ begins }) => text.startsWith(begins));
    for (const block of blocks.filter((each) => !printed.has(each) && !isLeftOut(each))) {
      expect(Object.keys(LANGUAGES)).toContain(block.language);
      LANGUAGES[block.language]?.(block.text);
    }
  });

  it('has what is left out of the tests', () => {
    const isThere = ({ begins }: LeftOut): boolean => blocks.some(({ text }) => text.startsWith(begins));
    expect(leftOut.filter((each) => !isThere(each))).toEqual([]);
  });

  it(
    'shows what its commands print',
    async () => {
      const output = await runDocument(name, leftOut);
      const said = [output, ...blocks.map(({ text }) => text), ...BY_FAILURES].join('\n');
      const messages = [...proseOf(document).matchAll(MESSAGE)].map(([, message = '']) => message);
      expect(messages.filter((message) => !said.includes(message))).toEqual([]);
    },
    DEADLINE_MS,
  );
}
