import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ExportService } from '../../src/events/export/export.service';
import { AdminAnswer, AdminCommand } from '../support/admin';
import { type LoggedScene, onBothEventLogs } from '../support/event-logs';
import { attributeAll, conversion, exposure, send } from '../support/events';
import { identify } from '../support/linked-visitors';
import { type Made, TIMESTAMP } from '../support/scene';

const scene = {} as LoggedScene;
const COLUMNS =
  'event_id,type,visitor_id,canonical_id,linked_at,occurred_at,arrived_at,experiment_id,experiment,variation_id,variation,phase,goal_id,goal,value,device,excluded_from';
const messageId = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;

let admin: AdminCommand;
let experiment: Made;
let other: Made;
let goal: Made;
let project: string[];

function idsFile(...ids: string[]): string {
  const path = join(admin.folder, 'ids.txt');
  writeFileSync(path, `${ids.join('\n')}\n`);
  return path;
}

const command = (...args: string[]): string[] => ['events:export', ...project, ...args];
const read = (name: string): string => readFileSync(join(admin.folder, name), 'utf8');
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The message ids in the output of a command. */
async function printed(...args: string[]): Promise<unknown[]> {
  const { code, stdout, stderr } = await admin.run(command('--output', '-', '--format', 'ndjson', ...args));
  expect([code, stderr]).toEqual([0, '']);
  return linesOf(stdout).map(({ event_id }) => event_id);
}

async function refused(args: string[], code: number, reason: RegExp | string): Promise<void> {
  const answer = await admin.run(args);
  const stderr = expect.stringMatching(reason) as string;
  expect(answer).toEqual<AdminAnswer>({ code, stdout: '', stderr });
}

onBothEventLogs(scene, () => {
  beforeAll(async () => {
    admin = new AdminCommand(scene.api.databaseUrl, scene.log.environment);
    goal = await scene.make.goal({ name: 'Sale', value_type: 'revenue', value_cap: 99.5 });
    experiment = await scene.make.withStatus('running', { name: 'Blue "button"', goals: [goal.id] });
    other = await scene.make.withStatus('running', { name: 'Other', goals: [goal.id] });
    project = ['--project', String(scene.world.projectId)];
    const key = (await scene.client.get(scene.project)).body.client_key as string;
    const desktop = { context: { device: { type: 'desktop' } } };
    const messages = [
      exposure('=ada, "1" ', experiment.id, experiment.variations[1].id, {
        messageId: messageId(1),
        ...desktop,
      }),
      conversion('=ada, "1" ', 'sale', '12.3456', { messageId: messageId(2), ...desktop }),
      exposure('bob', other.id, other.variations[0].id, { messageId: messageId(3), ...desktop }),
      conversion('bob', 'sale', undefined, { messageId: messageId(4), ...desktop }),
      conversion('bob-signed-in', 'sale', -1_000_000_000, { messageId: messageId(5), ...desktop }),
      identify('bob', 'bob-signed-in'),
    ];
    expect((await send(scene.api, key, messages)).body).toMatchObject({ accepted: 6 });
    await attributeAll(scene.api);
    await admin.run(['visitors:exclude', ...project, '--ids-file', idsFile('=ada, "1" '), '--yes']);
  });
  afterAll(() => admin.remove());

  describe('events:export', () => {
    it('writes all columns of each event and the counting rules, to files that only this user can read', async () => {
      const report = await admin.json(command('--output', 'all.ndjson'));
      expect(report).toEqual({
        project_id: scene.world.projectId,
        format: 'ndjson',
        file: 'all.ndjson',
        rules_file: 'all.rules.ndjson',
        events: 5,
        experiments: 2,
      });
      for (const name of ['all.ndjson', 'all.rules.ndjson']) {
        expect(statSync(join(admin.folder, name)).mode & 0o777).toBe(0o600);
      }
      const shown = expect.stringMatching(TIMESTAMP) as string;
      const nothing = Object.fromEntries(COLUMNS.split(',').map((name) => [name, null]));
      const [first, second, third, , last] = linesOf(read('all.ndjson'));
      expect(Object.keys(first)).toEqual(COLUMNS.split(','));
      expect(first).toEqual({
        ...nothing,
        event_id: messageId(1),
        type: 'exposure',
        visitor_id: '=ada, "1" ',
        canonical_id: '=ada, "1" ',
        occurred_at: shown,
        experiment_id: experiment.id,
        experiment: 'Blue "button"',
        variation_id: experiment.variations[1].id,
        variation: 'Variation',
        device: 'desktop',
        excluded_from: 'all',
      });
      expect(second).toMatchObject({ type: 'conversion', goal_id: goal.id, goal: 'Sale', value: 12.3456 });
      expect(third).toMatchObject({ visitor_id: 'bob', canonical_id: 'bob-signed-in', linked_at: shown });
      expect(last).toMatchObject({
        visitor_id: 'bob-signed-in',
        canonical_id: 'bob-signed-in',
        linked_at: null,
      });
      expect(read('all.ndjson')).toContain('"value":-1000000000.0000,');
      const [rules] = linesOf(read('all.rules.ndjson'));
      expect(rules).toEqual({
        experiment_id: experiment.id,
        experiment: 'Blue "button"',
        final_at: null,
        runs: [{ started_at: shown, ended_at: null }],
        phases: [shown],
        value_caps: [{ goal_id: goal.id, value_cap: 99.5 }],
      });
    });

    it('writes CSV according to RFC 4180', async () => {
      const { stdout } = await admin.run(command('--output', '-', '--format', 'csv'));
      const [header, first, second] = stdout.split('\r\n');
      expect(header).toBe(COLUMNS);
      const id = '"=ada, ""1"" "';
      const names = `${experiment.id},"Blue ""button""",${experiment.variations[1].id},"Variation"`;
      expect(first.replace(/\d{4}-[^,]*Z/, 'TIME')).toBe(
        `"${messageId(1)}","exposure",${id},${id},,"TIME",,${names},,,,,"desktop","all"`,
      );
      expect(second).toMatch(/,\d+,"Sale","?12\.3456"?,"desktop","all"$/);
    });

    it("writes files with Parquet's magic bytes", async () => {
      expect((await admin.run(command('--output', 'table.parquet'))).code).toBe(0);
      const bytes = readFileSync(join(admin.folder, 'table.parquet'));
      expect([bytes.subarray(0, 4), bytes.subarray(-4)].map(String)).toEqual(['PAR1', 'PAR1']);
    });

    it('selects events by time, and visitors by experiment with all their ids', async () => {
      expect(await printed()).toEqual([1, 2, 3, 4, 5].map(messageId));
      expect(await printed('--experiment', String(experiment.id))).toEqual([1, 2].map(messageId));
      expect(await printed('--experiment', String(other.id))).toEqual([3, 4, 5].map(messageId));
      expect(await printed('--until', '2026-01-01')).toEqual([]);
      expect(await printed('--from', '2026-01-01', '--until', '2126-01-01T00:00:00Z')).toHaveLength(5);
    });

    it('replaces files only on request, and leaves no incomplete file', async () => {
      writeFileSync(join(admin.folder, 'old.csv'), 'mine');
      await refused(
        command('--output', 'old.csv'),
        1,
        /^old\.csv exists\. Choose another name, or add --overwrite\.\n$/,
      );
      expect(read('old.csv')).toBe('mine');
      await refused(
        command('--output', 'none/all.csv'),
        1,
        /^none\/all\.rules\.ndjson cannot be written: its folder does not exist\.\n$/,
      );
      await refused(
        command('--output', '.', '--format', 'csv', '--overwrite'),
        1,
        /^\. cannot be written: it is not a file\.\n$/,
      );
      expect((await admin.run(command('--output', 'old.csv', '--overwrite'))).code).toBe(0);
      expect(read('old.csv')).toContain(messageId(5));
      expect(readdirSync(admin.folder).filter((name) => name.includes('.part'))).toEqual([]);
    });

    it('marks excluded visitors if the excluded id has no events in the file, except in results that were final before the link', async () => {
      const key = (await scene.client.get(scene.project)).body.client_key as string;
      const variation = other.variations[0].id as number;
      const earlier = { messageId: messageId(6), timestamp: new Date(Date.now() - 60_000).toISOString() };
      const messages = [
        conversion('eve-signed-in', 'sale', undefined, earlier),
        exposure('eve', other.id, variation, { messageId: messageId(7) }),
      ];
      expect((await send(scene.api, key, messages)).body).toMatchObject({ accepted: 2 });
      await admin.run(['visitors:exclude', ...project, '--ids-file', idsFile('eve'), '--yes']);
      expect((await send(scene.api, key, [identify('eve', 'eve-signed-in')])).status).toBe(200);
      const marks = async (): Promise<unknown[]> => {
        const until = new Date(Date.now() - 30_000).toISOString();
        const { stdout } = await admin.run(command('--output', '-', '--format', 'ndjson', '--until', until));
        return linesOf(stdout).map(({ event_id, excluded_from }) => [event_id, excluded_from]);
      };
      expect(await marks()).toEqual([[messageId(6), 'all']]);
      await scene.api.database.transaction((tx) =>
        tx.query('UPDATE experiments SET archived_at = 1 WHERE id = ?', [experiment.id]),
      );
      expect(await marks()).toEqual([[messageId(6), String(other.id)]]);
    });

    it('explains invalid usage', async () => {
      await refused(
        command('--output', 'events.txt'),
        2,
        'The format is not clear from the name events.txt: add --format ndjson, csv or parquet',
      );
      await refused(command('--output', '-', '--format', 'parquet'), 2, 'Parquet needs an output file');
      await refused(command('--output', '-', '--format', 'csv', '--json'), 2, '--json cannot be combined');
      for (const same of ['a.csv', './a.csv', join(admin.folder, 'a.csv')]) {
        await refused(
          command('--output', 'a.csv', '--rules', same, '--overwrite'),
          2,
          '--output and --rules must be different files',
        );
      }
      await refused(
        command('--output', 'a.csv', '--from', '2026-02-01', '--until', '2026-01-01'),
        2,
        '--until must be after',
      );
      await refused(
        ['events:export', '--project', '999999', '--output', 'a.csv'],
        1,
        'There is no project 999999',
      );
      await refused(
        command('--output', 'a.csv', '--experiment', '999999'),
        1,
        'There is no experiment 999999',
      );
    });
  });

  describe('a large export', () => {
    const NEVER = new AbortController().signal;
    /** More than one page of events. Most of them belong to one visitor. */
    const EVENTS = 25_000;
    let large: number;

    beforeAll(async () => {
      large = await scene.api.project(scene.world.teamId, 'Large');
      const events = [...Array(EVENTS).keys()].map((number) => ({
        visitor_id: number % 5 === 0 ? `v-${number}` : 'one',
        event_id: `e-${String(number).padStart(5, '0')}`,
      }));
      await scene.log.fill(large, events);
    });

    it('has each event once, sorted by visitor and id, even while others write', async () => {
      const exports = scene.api.app.get(ExportService, { strict: false });
      const output = join(admin.folder, 'large.ndjson');
      const everything = { experimentId: null, from: null, until: null, rules: null, overwrite: false };
      await scene.api.database.transaction(async (tx) => {
        await tx.query('UPDATE events SET device = 1 WHERE project_id = ?', [large]);
        const request = { projectId: large, format: 'ndjson' as const, output, ...everything };
        const seen: number[][] = [];
        const report = await exports.export(request, (...progress) => seen.push(progress), NEVER);
        expect(report.events).toBe(EVENTS);
        expect(seen.at(-1)).toEqual([EVENTS, EVENTS]);
      });
      const places = linesOf(read('large.ndjson')).map(
        (event) => `${String(event.visitor_id)} ${String(event.event_id)}`,
      );
      expect(places).toHaveLength(EVENTS);
      expect(places).toEqual([...new Set(places)].sort());
    });

    it('leaves no file if it is interrupted', async () => {
      const exports = scene.api.app.get(ExportService, { strict: false });
      const stop = new AbortController();
      const [output, rules] = ['stopped.csv', 'stopped.ndjson'].map((name) => join(admin.folder, name));
      const request = { projectId: large, format: 'csv' as const, output, rules, overwrite: false };
      const all = { experimentId: null, from: null, until: null };
      await expect(exports.export({ ...request, ...all }, () => stop.abort(), stop.signal)).rejects.toThrow(
        'The export was interrupted. Nothing was written.',
      );
      expect(readdirSync(admin.folder).filter((name) => name.includes('stopped'))).toEqual([]);
    });

    it('leaves no rules file if another program creates the events file in the meantime', async () => {
      const exports = scene.api.app.get(ExportService, { strict: false });
      const [output, rules] = ['taken.csv', 'taken.ndjson'].map((name) => join(admin.folder, name));
      const request = { projectId: large, format: 'csv' as const, output, rules, overwrite: false };
      const all = { experimentId: null, from: null, until: null };
      const take = (): void => writeFileSync(output, 'mine');
      await expect(
        exports.export({ ...request, ...all }, take, new AbortController().signal),
      ).rejects.toThrow('taken.csv exists. Choose another name, or add --overwrite.');
      expect(readdirSync(admin.folder).filter((name) => name.includes('taken'))).toEqual(['taken.csv']);
      expect(read('taken.csv')).toBe('mine');
    });

    it('ends with an error message if the reader closes the pipe', async () => {
      const { PATH = '' } = process.env;
      const program = resolve(__dirname, '../../dist/src/admin.js');
      const args = ['events:export', '--project', String(large), '--output', '-', '--format', 'ndjson'];
      const env = { PATH, DATABASE_URL: scene.api.databaseUrl, ...scene.log.environment };
      const child = spawn(process.execPath, [program, ...args], { cwd: admin.folder, env });
      let stderr = '';
      child.stderr.on('data', (text) => (stderr += String(text)));
      child.stdout.destroy();
      const [code] = (await once(child, 'close')) as [number];
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('Standard output was closed before the end'),
      ]);
    });
  });
});
