import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuiltClient } from '../support/built-client';
import { LEFT_OUT, testDocument } from '../support/document-checks';
import { Runner, runDocument, runTogether } from '../support/document-run';
import { blocksOf, readDocument } from '../support/documents';

/*
 * The cookbook tasks, in three languages. The document shows the output in Python, and the output in TypeScript
 * is the same.
 */

const NAME = 'docs/cookbook.md';
const DEADLINE_MS = 300_000;
const blocks = blocksOf(readDocument(NAME));
const printed = blocks
  .filter((block, index) => block.language === 'text' && blocks[index - 1]?.language === 'python')
  .map(({ text }) => text);
const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

const PYTHON: Runner = {
  language: 'python',
  print: (text) => `print("\\n${text}", flush=True)`,
  command: (script) => ['python3', '-c', script],
};

describe(NAME, () => {
  testDocument(NAME);

  it('has ten tasks, each in three languages', () => {
    const tasks = readDocument(NAME)
      .split(/^## \d+\. /m)
      .slice(1);
    const languages = tasks.map((task) =>
      blocksOf(task.split(/^## /m)[0] ?? '').map(({ language }) => language),
    );
    expect(languages).toEqual(Array(10).fill(['sh', 'ts', 'python', 'text']));
  });

  it(
    'changes only its own experiment if an experiment has been created before',
    async () => {
      const [, output] = await runTogether(['README.md', NAME], () => false, LEFT_OUT);
      expect(output).toContain('"name":"Gift wrap"');
      expect(output).not.toContain('"name":"Newsletter outline"');
    },
    DEADLINE_MS,
  );
});

describe(`${NAME} in TypeScript`, () => {
  let client: BuiltClient;
  beforeAll(async () => {
    client = await BuiltClient.build();
  });
  afterAll(() => client.remove());

  const typescript: Runner = {
    language: 'ts',
    print: (text) => `console.log('\\n${text}');`,
    command: async (script) => {
      writeFileSync(join(client.folder, 'cookbook.ts'), script);
      const compilerOptions = { noEmit: false, outDir: 'out', noUnusedLocals: false };
      const settings = { extends: './tsconfig.json', compilerOptions, include: ['cookbook.ts'] };
      writeFileSync(join(client.folder, 'tsconfig.cookbook.json'), JSON.stringify(settings));
      await client.compile('tsconfig.cookbook.json');
      return [process.execPath, join(client.folder, 'out/cookbook.js')];
    },
  };

  it(
    'prints the output shown in the document',
    async () => {
      const output = await runDocument(NAME, [], typescript);
      expect(lines(output)).toEqual(lines(printed.join('')));
    },
    DEADLINE_MS,
  );
});

const hasPython = spawnSync('python3', ['--version']).error === undefined;

describe(`${NAME} in Python${hasPython ? '' : ' (skipped: python3 is not installed)'}`, () => {
  (hasPython ? it : it.skip)(
    'prints the output shown in the document',
    async () => {
      const output = await runDocument(NAME, [], PYTHON);
      expect(lines(output)).toEqual(lines(printed.join('')));
    },
    DEADLINE_MS,
  );
});
