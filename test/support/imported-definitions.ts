import { resolve } from 'node:path';
import { AdminCommand } from './admin';
import { TestApi, World } from './api';

type Names = Record<'audiences' | 'goals' | 'exclusion_groups' | 'experiments', string[]>;

/** The JSON output of `project:import`. */
export interface ImportReport {
  project_id: number | null;
  created: Names;
  existing: Names;
  not_taken: { kind: string; name: string; part: string | null; reason: string }[];
}

/** Path of an export in `test/fixtures/exports`. */
export const exported = (name: string): string => resolve(__dirname, `../fixtures/exports/${name}.json`);

export const importArgs = (format: string, files: readonly string[], ...more: string[]): string[] => [
  'project:import',
  '--format',
  format,
  ...files.flatMap((file) => ['--file', file]),
  ...more,
];

/** A server with a team, and the admin command on its database. */
export class ImportStage {
  api: TestApi;
  admin: AdminCommand;
  world: World;

  async start(): Promise<void> {
    this.api = await TestApi.start();
    this.admin = new AdminCommand(this.api.databaseUrl, { PUBLIC_URL: 'https://ab.example.com' });
    this.world = await this.api.world();
  }

  get client() {
    return this.world.people.admin.client;
  }

  run(format: string, files: readonly string[], ...more: string[]): Promise<ImportReport> {
    return this.admin.json(importArgs(format, files, ...more)) as Promise<ImportReport>;
  }

  intoNew(name: string): string[] {
    return ['--team', String(this.world.teamId), '--name', name];
  }

  async records(project: number | null, kind: string): Promise<Record<string, unknown>[]> {
    return (await this.client.get(`/projects/${project}/${kind}`)).body as Record<string, unknown>[];
  }

  async variations(project: number | null, experiment: unknown): Promise<Record<string, unknown>[]> {
    return this.records(project, `experiments/${Number(experiment)}/variations`);
  }
}

/** Starts the server before the tests of a file, and stops it afterwards. */
export function useImports(): ImportStage {
  const stage = new ImportStage();
  beforeAll(() => stage.start());
  afterAll(async () => {
    stage.admin.remove();
    await stage.api.close();
  });
  return stage;
}

/** The skipped items of a report, one line each. */
export const linesOf = ({ not_taken }: ImportReport): string[] =>
  not_taken.map(({ kind, name, part }) => [kind, name, ...(part === null ? [] : [part])].join(' | ')).sort();

/** The reason why a record was not imported. */
export const reasonOf = ({ not_taken }: ImportReport, name: string): string | undefined =>
  not_taken.find((each) => each.name === name && each.part === null)?.reason;
