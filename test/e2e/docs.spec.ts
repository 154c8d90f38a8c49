import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { load } from 'js-yaml';
import { ERROR_CODES } from '../../src/common/errors/codes';
import { loadConfig } from '../../src/config/config';
import { SETTINGS } from '../../src/config/settings';
import { REJECTIONS } from '../../src/events/messages';
import { buildDocument } from '../../src/platform/reference/reference';
import { WARNINGS } from '../../src/statistics/result';
import { startLive } from '../support/live-server';
import type { TestApi } from '../support/api';
import { blocksOf, documentNames, proseOf, readDocument, ROOT } from '../support/documents';
import { seedDemo, SeededDemo } from '../support/demo';

/* Everything that the documents mention must exist: pages, paths, files, variables, commands. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, first = '']) => first)),
];
const texts = documentNames().map((name) => [name, readDocument(name)] as const);
const all = texts.map(([, text]) => text).join('\n');
const inline = (text: string): string[] => found(proseOf(text), /`([^`\n]+)`/g);

/** The anchors that GitHub generates for headings. */
const anchorsOf = (document: string): string[] =>
  found(document, /^#+ (.+)$/gm).map((title) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );

describe.each(texts)('%s', (name, text) => {
  it('has no broken links', () => {
    const targets = found(text, /(?:\]\(|src(?:set)?=")((?!https?:)[^)"\s]+)/g);
    const missing = targets.filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? name : normalize(join(dirname(name), path));
      const isThere = existsSync(join(ROOT, file));
      return !isThere || (anchor !== undefined && !anchorsOf(readDocument(file)).includes(anchor));
    });
    expect(missing).toEqual([]);
  });
});

describe('paths in documents', () => {
  /** Paths that the server does not serve: files, and pages of example sites. */
  const ELSEWHERE = ['/usr/bin/chromium', '/etc/hosts', '/etc/resolv.conf', '/64', '/cart', '/app/data'];
  let api: TestApi;
  let demo: SeededDemo;
  let known: string[];

  beforeAll(async () => {
    api = await startLive();
    demo = await seedDemo(api);
    known = Object.keys(buildDocument(api.app, api.config).paths);
  });
  afterAll(() => api.close());

  /**
   * Whether the reference has the path. `/s/` matches all paths with this prefix, and `.../status` all paths with this
   * suffix.
   */
  function isKnown(path: string): boolean {
    const bare = path.replace(/\?.*$/, '');
    return known.some(
      (one) =>
        one === bare ||
        (bare.endsWith('/') && one.startsWith(bare)) ||
        (bare.startsWith('...') && one.endsWith(bare.slice(3))) ||
        one.endsWith(`/${bare}`),
    );
  }

  async function isServed(path: string): Promise<boolean> {
    const experiment = (await demo.client.get(`${demo.project}/experiments`)).body[0];
    const info = (await demo.client.get(`${demo.project}/experiments/${experiment.id}/results/info`)).body;
    const real = path
      .replace('{token}', info.share_token)
      .replace('{goal}', experiment.goals[0].id)
      .replace(/^\/share\/$/, `/share/${info.share_token}`)
      .replace(/^\/assets\/$/, '/assets/pages.js')
      .replace('kind=rate|uplift', 'kind=rate');
    const { status } = await fetch(api.config.publicUrl + real, { redirect: 'manual' });
    return status !== 404;
  }

  it('exist in the reference or as pages', async () => {
    const isPath = /^(?:(?:GET|POST|PUT|PATCH|DELETE) )?((?:\/|\.\.\.\/)\S*)$/;
    const paths = inline(all).flatMap((code) => isPath.exec(code)?.[1] ?? []);
    const unknown: string[] = [];
    for (const path of paths.filter((one) => !ELSEWHERE.includes(one) && !isKnown(one))) {
      if (!path.startsWith('/') || !(await isServed(path))) {
        unknown.push(path);
      }
    }
    expect(unknown).toEqual([]);
  });

  it('exist as files in the repository, or are created by the server', () => {
    const MADE = /^(?:data|dist|backup)\//;
    const NO_FILE = /^(?:(?:application|text)\/|@|[\d.]+\/\d+$)/;
    const isThere = (name: string, code: string): boolean =>
      ['.', 'src', dirname(name)].some((folder) => existsSync(join(ROOT, folder, code)));
    const unknown = texts.flatMap(([name, text]) =>
      inline(text)
        .filter((code) => /^[\w.@-]+\/[\w./{}-]*$/.test(code) && !MADE.test(code) && !NO_FILE.test(code))
        .filter((code) => !isThere(name, code) && !isKnown(code)),
    );
    expect(unknown).toEqual([]);
  });
});

it('the standard words that the architecture lists appear in source file names', () => {
  const [, sentence = ''] =
    /Files have the standard word in their name:([^]*?)\./.exec(read('docs/architecture.md')) ?? [];
  const words = found(sentence, /`([^`]+)`/g);
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  expect(words).toContain('srm');
  expect(words.filter((word) => !files.some((file) => file.includes(word)))).toEqual([]);
});

it('troubleshooting lists every reason for which an event is rejected', () => {
  const listed = found(readDocument('docs/troubleshooting.md'), /^\| `([a-z_]+)` +\|/gm);
  expect(listed).toEqual(expect.arrayContaining(Object.keys(REJECTIONS)));
});

it('the messages that troubleshooting quotes are in the source code', () => {
  const quotes = found(readDocument('docs/troubleshooting.md'), /^- \*\*"([^"]+)"\*\*/gm);
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.spec.ts'))
    .map((name) => read(join('src', name)))
    .join('\n');
  expect(quotes.length).toBeGreaterThanOrEqual(6);
  expect(quotes.filter((quote) => !sources.includes(quote))).toEqual([]);
});

describe('environment variables', () => {
  const listed = found(read('.env.example'), /^#([A-Z_]+)=/gm);
  const tools = ['bench', 'test/chaos', 'test/fuzz', 'test/support'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:mjs|cjs|ts)$/.test(name))
      .map((name) => read(join(folder, name))),
  );
  const ofTools = found([...tools, read('jest.config.js')].join('\n'), /process\.env\.([A-Z_]+)/g);

  it('of the server match .env.example, and are all documented', () => {
    const config = Object.keys(SETTINGS);
    const ofCompose = ['MYSQL_PASSWORD', 'MYSQL_BUFFER_POOL_SIZE', 'CLICKHOUSE_PASSWORD'];
    const ofOthers = ['GOSSET_TOKEN', 'GOSSET_URL', ...ofCompose, 'TEST_DATABASE_URL', 'TEST_REDIS_URL'];
    expect([...config, ...ofOthers].sort()).toEqual([...listed].sort());
    const table = read('docs/production.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split('|')[1])
      .join('\n');
    expect(listed.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
  });

  it('that documents mention exist', () => {
    const mentioned = inline(all).filter((code) => /^[A-Z]+(?:_[A-Z]+)+(?:=\S*)?$/.test(code));
    const names = mentioned.map((code) => code.split('=')[0] ?? '');
    const known = [
      ...listed,
      ...ofTools,
      ...WARNINGS,
      'GOSSET_PROJECT',
      'GOSSET_TOKEN',
      'GOSSET_URL',
      // A variable of Node.js.
      'NODE_EXTRA_CA_CERTS',
      // A variable of Docker Compose.
      'COMPOSE_FILE',
      ...Object.keys(ERROR_CODES),
    ];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('are valid in the configuration files of documents', () => {
    const files = blocksOf(all).filter(({ language }) => language === 'ini');
    for (const { text } of files) {
      const lines = [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
        name,
        value,
      ]);
      expect(lines.map(([name = '']) => name).filter((name) => !listed.includes(name))).toEqual([]);
      expect(loadConfig(Object.fromEntries(lines) as NodeJS.ProcessEnv).publicUrl).toMatch(/^http/);
    }
    expect(files.length).toBeGreaterThan(0);
  });

  it('in both Docker Compose files are in .env.example', () => {
    const text = read('docker-compose.yml');
    const files = [text, read('docker-compose.clickhouse.yml')].join('\n');
    expect(found(files, /\$\{(\w+)/g).filter((name) => !listed.includes(name))).toEqual([]);
    const { services } = load(text) as { services: Record<string, unknown> };
    expect(Object.keys(services)).toEqual(['migrate', 'server', 'mysql', 'redis']);
  });
});

describe('commands', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const folder = join(ROOT, 'src/admin/commands');
  const commands = readdirSync(folder).flatMap((file) =>
    found(readFileSync(join(folder, file), 'utf8'), /^ +name: '(\w+:[\w-]+)'/gm),
  );

  it('that documents run with npm exist', () => {
    const root = texts.filter(([name]) => !name.startsWith('clients/')).map(([, text]) => text);
    const asked = found(root.join('\n'), /npm run (?:-s )?([\w:-]+)/g);
    expect(asked.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('of the admin command that documents mention exist', () => {
    const groups = new Set(commands.map((command) => command.split(':')[0]));
    const mentioned = found(all, /\b([a-z]+:[a-z]+(?:-[a-z]+)*)\b/g);
    const asked = mentioned.filter((name) => groups.has(name.split(':')[0] ?? ''));
    expect(asked.filter((name) => !commands.includes(name))).toEqual([]);
  });

  it('of the admin command are all documented', () => {
    const text = read('docs/production.md');
    expect(commands.length).toBeGreaterThan(25);
    expect(commands.filter((command) => !text.includes(command))).toEqual([]);
  });
});

describe('the architecture', () => {
  it('lists the same layers as the linter configuration', () => {
    const [, rows = ''] = /const rows = \[\n([\s\S]*?)\n\];/.exec(read('.dependency-cruiser.cjs')) ?? [];
    const ordered = [...rows.matchAll(/'([\w/-]+)'|(resourceFolders)/g)].map(
      ([, folder]) => folder ?? 'resources/*',
    );
    const [, table = ''] = read('docs/architecture.md').split('## Folders');
    const shown = (table.split('\n## ')[0] ?? '')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => found(line.split('|')[1] ?? '', /`([\w/*-]+)`/g));
    expect(shown).toEqual(ordered);
  });
});

describe('the proxy example', () => {
  it('for nginx forwards to the default address of the server', () => {
    const [nginx] = blocksOf(read('docs/production.md')).filter(({ language }) => language === 'nginx');
    const { host, port } = loadConfig({});
    expect(nginx?.text).toContain(`proxy_pass http://${host}:${port};`);
    expect(nginx?.text.match(/[{]/g)).toHaveLength(nginx?.text.match(/[}]/g)?.length ?? -1);
  });

  it.each([
    ['caddyfile', 'respond /metrics* 403'],
    ['nginx', 'location ^~ /metrics {'],
  ])('in %s hides metrics, also at /metrics/', (language, rule) => {
    const [block] = blocksOf(read('docs/production.md')).filter((each) => each.language === language);
    const { host, port } = loadConfig({});
    expect(block?.text).toContain(`${host}:${port}`);
    expect(block?.text).toContain(rule);
  });
});
