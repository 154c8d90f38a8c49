import { ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { AdminAnswer, AdminCommand } from './admin';
import type { TestApi } from './api';
import { Made, useScene } from './scene';

const PROGRAM = resolve(__dirname, '../../dist/src/admin.js');

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export type Row = Record<string, string | number>;

/** The time this many milliseconds ago, in the format of events. */
export const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();

/** An exposure with flat keys, and with the given fields. */
export const exposed = (experiment: Made, arm: number, fields: Row = {}): Row => ({
  type: 'track',
  event: 'Experiment Viewed',
  anonymousId: randomUUID(),
  messageId: randomUUID(),
  timestamp: ago(HOUR),
  experiment_id: experiment.id,
  variation_id: experiment.variations[arm].id as number,
  ...fields,
});

/** A conversion with flat keys. */
export const converted = (anonymousId: string, event: string, fields: Row = {}): Row => ({
  type: 'track',
  event,
  anonymousId,
  messageId: randomUUID(),
  timestamp: ago(HOUR / 2),
  ...fields,
});

export const ndjson = (messages: readonly unknown[]): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join('');

const quoted = (cell: string | number | undefined): string => `"${String(cell ?? '').replaceAll('"', '""')}"`;

export function csv(rows: readonly Row[], columns: readonly string[], lineEnd = '\n'): string {
  const lines = rows.map((row) => columns.map((column) => quoted(row[column])).join(','));
  return [columns.join(','), ...lines, ''].join(lineEnd);
}

export const COLUMNS = [
  'type',
  'event',
  'anonymousId',
  'messageId',
  'timestamp',
  'experiment_id',
  'variation_id',
  'value',
  'url',
  'device',
];

/**
 * Messages of this many visitors. Every third visitor converts. Every call returns the same messages, apart from ids
 * and times.
 */
export function traffic(experiment: Made, visitors: number, goal = 'sale'): Row[] {
  return Array.from({ length: visitors }, (_, index) => {
    const exposure = exposed(experiment, index % 2, {
      timestamp: ago(10 * DAY - index * 60_000),
      device: ['mobile', 'desktop'][index % 2],
    });
    const value = `${index % 100}.25`;
    const order = converted(exposure.anonymousId as string, goal, { timestamp: ago(2 * DAY), value });
    return index % 3 === 0 ? [exposure, order] : [exposure];
  }).flat();
}

/** The number of lines stored by each import in the database. */
export async function importedLines(api: TestApi): Promise<number[]> {
  const rows: { line: number }[] = await api.database.read.query(
    'SELECT line FROM event_imports ORDER BY id',
  );
  return rows.map(({ line }) => line);
}

/** The command that imports files into a project. */
export class Importer {
  readonly admin: AdminCommand;

  constructor(
    private readonly api: TestApi,
    readonly projectId: number,
  ) {
    this.admin = new AdminCommand(api.databaseUrl);
  }

  /** Writes a file, compressed if its name ends with `.gz`. */
  file(name: string, content: string | Buffer): string {
    const path = join(this.admin.folder, name);
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(content) : content);
    return path;
  }

  args(path: string, ...more: string[]): string[] {
    return ['events:import', '--project', String(this.projectId), '--file', path, ...more];
  }

  /** Imports a file with this content. @returns the report */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read any part of reports
  import(name: string, content: string | Buffer, ...more: string[]): Promise<any> {
    return this.admin.json(this.args(this.file(name, content), ...more));
  }

  run(path: string, ...more: string[]): Promise<AdminAnswer> {
    return this.admin.run(this.args(path, ...more));
  }

  /** Starts the command in a process that the test can kill. */
  spawn(path: string): ChildProcess {
    const { PATH = '' } = process.env;
    return spawn(process.execPath, [PROGRAM, ...this.args(path, '--json')], {
      cwd: this.admin.folder,
      env: { PATH, DATABASE_URL: this.api.databaseUrl },
      stdio: 'ignore',
    });
  }
}

/**
 * Kills an import as soon as it has stored this many lines.
 * @returns the number of stored lines
 * @param index position of the import among all imports in the database
 */
export async function killAfter(
  api: TestApi,
  child: ChildProcess,
  index: number,
  lines: number,
): Promise<number> {
  const ended = new Promise((done) => child.once('exit', done));
  const stored = async (): Promise<number> => (await importedLines(api)).at(index) ?? 0;
  while (child.exitCode === null && (await stored()) < lines) {
    await sleep(5);
  }
  child.kill('SIGKILL');
  await ended;
  return stored();
}

export interface ImportScene {
  scene: ReturnType<typeof useScene>;
  importer: Importer;
  /** A running experiment with the goals `sale` (revenue), `click` and `seen` (page views of `/checkout`). */
  experiment: Made;
  goals: { sale: Made; click: Made; seen: Made };
  /** Creates another experiment with these goals. */
  another: (status?: string) => Promise<Made>;
}

/** Creates a project with goals and a running experiment, and a command on its database. */
export function useImports(): ImportScene {
  const scene = useScene();
  const imports = { scene } as ImportScene;
  beforeAll(async () => {
    const { make, api, world } = scene;
    const page = await make.page({
      name: 'Checkout',
      conditions: [{ match: 'simple', value: '/checkout' }],
    });
    const goals = {
      sale: await make.goal({ name: 'Sale', value_type: 'revenue' }),
      click: await make.goal({ name: 'Click', type: 'click', selector: 'a' }),
      seen: await make.goal({ name: 'Seen', type: 'pageview', page_id: page.id }),
    };
    const attached = { goals: Object.values(goals).map(({ id }) => id) };
    const another = (status = 'running'): Promise<Made> => make.withStatus(status, attached);
    const importer = new Importer(api, world.projectId);
    Object.assign(imports, { importer, goals, another, experiment: await another() });
  });
  afterAll(() => imports.importer.admin.remove());
  return imports;
}
