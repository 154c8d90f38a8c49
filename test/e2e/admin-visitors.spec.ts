import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AdminAnswer } from '../support/admin';
import { AdminCommand } from '../support/admin';
import { attributeAll, exposure, send } from '../support/events';
import { anotherProject, Made, TIMESTAMP, useScene } from '../support/scene';

const scene = useScene();
let admin: AdminCommand;
let experiment: Made;
let project: string[];

beforeAll(async () => {
  admin = new AdminCommand(scene.api.databaseUrl);
  experiment = await scene.make.withStatus('running');
  project = ['--project', String(scene.world.projectId)];
  const key = (await scene.client.get(scene.project)).body.client_key as string;
  const visitors = ['ada', 'bot-1', 'bot-2', 'bot 3 '];
  const messages = visitors.map((visitor) => exposure(visitor, experiment.id, experiment.variations[0].id));
  expect((await send(scene.api, key, messages)).body.accepted).toBe(4);
  await attributeAll(scene.api);
});

afterAll(() => admin.remove());

const participants = async (): Promise<number> =>
  (await scene.client.get(`${experiment.path}/results/info`)).body.participants as number;

const idsFile = (...ids: string[]): string => {
  const path = join(admin.folder, 'ids.txt');
  writeFileSync(path, `${ids.join('\n')}\n`);
  return path;
};

async function refused(args: string[], code: number, reason: string): Promise<void> {
  const answer = await admin.run([...args, '--json']);
  expect(answer).toEqual<AdminAnswer>({ code, stdout: '', stderr: `${reason}\n` });
}

describe('visitors:exclude', () => {
  it('first shows how many visitors match, and excludes them with --yes; visitors:include undoes the exclusion', async () => {
    const args = [
      'visitors:exclude',
      ...project,
      '--ids-file',
      idsFile('bot-1', 'bot-2', 'bot 3 ', 'unheard-of'),
    ];
    const asked = await admin.run(args);
    expect(asked).toEqual({
      code: 0,
      stdout:
        '3 visitors would be excluded. Nothing was changed; add --yes to exclude them.\n' +
        'The file has 4 ids; ids of visitors without an exposure so far are skipped.\n',
      stderr: '',
    });
    expect(await participants()).toBe(4);
    const done = await admin.json([...args, '--yes']);
    expect(done).toEqual({
      project_id: scene.world.projectId,
      experiment_id: null,
      ids: 4,
      visitors: 3,
      exclusion: {
        id: expect.any(Number),
        project_id: scene.world.projectId,
        experiment_id: null,
        criteria: { ids: 4 },
        visitors: 3,
        created_at: expect.stringMatching(TIMESTAMP),
        finished_at: expect.stringMatching(TIMESTAMP),
        undone_at: null,
      },
    });
    expect(await participants()).toBe(1);
    expect(await admin.json(['visitors:exclusions', ...project])).toEqual([done.exclusion]);
    const undone = await admin.json(['visitors:include', '--exclusion', String(done.exclusion.id)]);
    expect(undone).toEqual({ ...done.exclusion, undone_at: expect.stringMatching(TIMESTAMP) });
    expect(await participants()).toBe(4);
    // Repeating the command has no effect.
    expect(await admin.json(['visitors:include', '--exclusion', String(done.exclusion.id)])).toEqual(undone);
  });

  it('accepts a time range for one experiment', async () => {
    const args = ['visitors:exclude', ...project, '--experiment', String(experiment.id)];
    const all = await admin.json([...args, '--from', '2020-01-01', '--until', '2100-01-01T00:00:00+02:00']);
    expect(all).toMatchObject({ experiment_id: experiment.id, ids: null, visitors: 4, exclusion: null });
    const none = await admin.json([...args, '--until', '2020-01-01T00:00:00.5Z', '--yes']);
    expect(none).toMatchObject({ visitors: 0, exclusion: null });
  });

  it('prints a summary', async () => {
    const { stdout } = await admin.run([
      'visitors:exclude',
      ...project,
      '--ids-file',
      idsFile('bot-1'),
      '--yes',
    ]);
    const id =
      /^Excluded 1 visitor\. To undo it: visitors:include --exclusion (\d+)\nThe file has 1 id;/.exec(
        stdout,
      )?.[1];
    expect(id).toBeDefined();
    const table = await admin.run(['visitors:exclusions', ...project]);
    expect(table.stdout).toMatch(/^id +experiment_id +visitors +criteria .*\n/);
    await admin.json(['visitors:include', '--exclusion', id ?? '']);
  });

  it('reads files written on Windows, with a byte order mark and CRLF', async () => {
    const path = join(admin.folder, 'windows.txt');
    writeFileSync(path, '\ufeffbot-1\r\n\r\nbot-2\r\n');
    const asked = await admin.json(['visitors:exclude', ...project, '--ids-file', path]);
    expect(asked).toMatchObject({ ids: 2, visitors: 2 });
  });

  it('fails for unknown records and for conflicting options', async () => {
    const ids = ['--ids-file', idsFile('bot-1')];
    await refused(['visitors:exclude', '--project', '987654', ...ids], 1, 'There is no project 987654.');
    const { project: other } = await anotherProject(scene);
    await refused(
      [
        'visitors:exclude',
        '--project',
        other.split('/').at(-1) ?? '',
        '--experiment',
        String(experiment.id),
        ...ids,
      ],
      1,
      `There is no experiment ${experiment.id} in project ${other.split('/').at(-1)}.`,
    );
    const either = 'Pass either --ids-file, or one or both of --from and --until.';
    await refused(['visitors:exclude', ...project], 2, either);
    await refused(['visitors:exclude', ...project, ...ids, '--from', '2026-05-01'], 2, either);
    const wrongOrder = ['--from', '2026-05-02', '--until', '2026-05-01'];
    await refused(['visitors:exclude', ...project, ...wrongOrder], 2, '--until must be after --from.');
    const path = idsFile('bot-1', '', 'ü');
    await refused(
      ['visitors:exclude', ...project, '--ids-file', path],
      1,
      `Line 3 of ${path} is not a visitor id: 1 to 64 printable ASCII characters.`,
    );
    await refused(['visitors:include', '--exclusion', '987654'], 1, 'There is no exclusion 987654.');
    for (const from of ['yesterday', '2026-02-31', '2026-02-31T00:00:00Z']) {
      expect((await admin.run(['visitors:exclude', ...project, '--from', from])).code).toBe(2);
    }
  });
});

describe('visitors:delete', () => {
  it('first shows how much data matches, and deletes it with --yes; afterwards the visitor does not exist', async () => {
    const before = await participants();
    const args = ['visitors:delete', ...project, '--visitor', 'bot 3 '];
    expect((await admin.run(args)).stdout).toBe(
      '1 event of a visitor with 1 id would be deleted. Nothing was changed; add --yes to delete them.\n',
    );
    expect(await participants()).toBe(before);
    expect(await admin.json([...args, '--yes'])).toEqual({
      project_id: scene.world.projectId,
      ids: 1,
      events: 1,
      deleted: true,
    });
    expect(await participants()).toBe(before - 1);
    await refused(args, 1, `There is no visitor bot 3  in project ${scene.world.projectId}.`);
  });
});
