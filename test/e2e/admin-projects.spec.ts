import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { insertPurge } from '../../src/events/event-purges.store';
import { AdminAnswer, AdminCommand } from '../support/admin';
import { TestApi, World } from '../support/api';
import { readyExperiment } from '../support/builders';

const THIRTY_DAYS_MICROS = 30 * 86_400_000_000;

describe('the admin command for projects', () => {
  let api: TestApi;
  let admin: AdminCommand;
  let world: World;
  let team: string;
  let project: string;

  beforeAll(async () => {
    api = await TestApi.start();
    admin = new AdminCommand(api.databaseUrl, { PUBLIC_URL: 'https://ab.example.com' });
    world = await api.world();
    team = String(world.teamId);
    project = String(world.projectId);
  });

  afterAll(async () => {
    admin.remove();
    await api.close();
  });

  async function refused(args: string[], reason: string): Promise<void> {
    const answer = await admin.run([...args, '--json']);
    expect(answer).toEqual<AdminAnswer>({ code: 1, stdout: '', stderr: `${reason}\n` });
  }

  function codeFile(name: string, code: string | Buffer): string {
    const file = join(admin.folder, name);
    writeFileSync(file, code);
    return file;
  }

  async function environments(): Promise<Record<string, unknown>[]> {
    return (await world.people.viewer.client.get(`${world.project}/environments`)).body;
  }

  describe('projects', () => {
    it('creates a project with a default environment, as the API shows it', async () => {
      const { client } = world.people.viewer;
      const created = await admin.json([
        'projects:create',
        '--team',
        team,
        '--name',
        ' Blog ',
        '--storage',
        'cookie',
      ]);
      expect(created).toMatchObject({ name: 'Blog', team_id: world.teamId, storage: 'cookie' });
      expect((await client.get(`/projects/${created.id}`)).body).toEqual(created);
      expect((await client.get(`/teams/${team}/projects`)).body).toContainEqual(created);
      expect((await client.get(`/projects/${created.id}/environments`)).body).toMatchObject([
        { name: 'Production', is_default: true, code: 'return true;' },
      ]);
      expect(await admin.json(['projects:create', '--team', team, '--name', 'Wiki'])).toMatchObject({
        storage: 'localStorage',
      });
    });

    it('rejects an unknown team', async () => {
      await refused(['projects:create', '--team', '987654', '--name', 'Blog'], 'There is no team 987654.');
    });

    it('sets the method and keeps the correction', async () => {
      const set = ['projects:set-method', '--project', project];
      const { client } = world.people.viewer;
      expect(await admin.json([...set, '--method', 'frequentist', '--correction', 'holm'])).toMatchObject({
        id: world.projectId,
        statistics_method: 'frequentist',
        correction: 'holm',
      });
      const changed = await admin.json([...set, '--method', 'bayesian']);
      expect(changed).toMatchObject({ statistics_method: 'bayesian', correction: 'holm' });
      expect(changed).toMatchObject((await client.get(world.project)).body);
      expect(await admin.json([...set, '--method', 'bayesian', '--correction', 'holm'])).toEqual(changed);
      const settings = (await client.get(`${world.project}/settings`)).body;
      expect(settings).toMatchObject({ statistics_method: 'bayesian', correction: 'holm' });
      const log = (await client.get(`${world.project}/audit?action=set-method`)).body as unknown[];
      expect(log.at(-1)).toMatchObject({ before: { correction: 'none' }, after: { correction: 'holm' } });
      await refused(
        ['projects:set-method', '--project', '987654', '--method', 'bayesian'],
        'There is no project 987654.',
      );
    });
  });

  describe('environments', () => {
    it('creates an environment with code from a file', async () => {
      const code = "// ünïcode\nreturn location.host === 'staging.example.com';\n";
      const created = await admin.json([
        ...['environments:create', '--project', project, '--name', 'Staging'],
        ...['--code-file', codeFile('staging.js', code)],
      ]);
      expect(created).toMatchObject({ name: 'Staging', api_name: 'staging', is_default: false, code });
      expect(await environments()).toContainEqual(created);
    });

    it('rejects code that is not a script, is too long or cannot be read', async () => {
      const create = ['environments:create', '--project', project, '--name', 'Broken', '--code-file'];
      const wrong = await admin.run([...create, codeFile('wrong.js', 'return ((')]);
      expect(wrong).toEqual<AdminAnswer>({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^The script does not parse: .*line 1.*\n$/),
      });
      const long = codeFile('long.js', `return true; // ${'a'.repeat(256 * 1024)}`);
      await refused([...create, long], 'The code may not be larger than 256 KiB.');
      for (const file of [
        join(admin.folder, 'missing.js'),
        codeFile('binary.js', Buffer.from([0xff, 0xfe, 0x00])),
      ]) {
        const answer = await admin.run([...create, file]);
        expect(answer).toEqual<AdminAnswer>({ code: 1, stdout: '', stderr: expect.stringContaining(file) });
        expect(answer.stderr.trimEnd().split('\n')).toHaveLength(1);
      }
      expect((await environments()).map(({ name }) => name)).not.toContain('Broken');
    });

    it('updates the code, and moves the default', async () => {
      await admin.json(['environments:create', '--project', project, '--name', 'Test']);
      const update = ['environments:update', '--project', project, '--name', 'Test'];
      const code = 'return false;';
      const updated = await admin.json([...update, '--code-file', codeFile('test.js', code), '--default']);
      expect(updated).toMatchObject({ name: 'Test', code, is_default: true });
      expect((await environments()).filter((row) => row.is_default)).toEqual([updated]);
      await admin.json(['environments:update', '--project', project, '--name', 'Production', '--default']);
      expect((await environments()).filter((row) => row.is_default)).toMatchObject([{ name: 'Production' }]);
    });

    it('deletes an environment, but neither the default one nor the last one of a running experiment', async () => {
      const remove = ['environments:delete', '--project', project, '--name'];
      const created = await admin.json(['environments:create', '--project', project, '--name', 'Old']);
      const { client } = world.people.publisher;
      const { experiment } = await readyExperiment(client, world.project, { environments: [created.id] });
      await client.patch(`${world.project}/experiments/${experiment}/status`, { status: 'running' });
      await refused(
        [...remove, 'Old'],
        `The environment is the only environment of running experiments: Experiment (${experiment}).`,
      );
      await client.patch(`${world.project}/experiments/${experiment}/status`, { status: 'pause' });
      expect(await admin.json([...remove, 'Old'])).toEqual(created);
      expect(await environments()).not.toContainEqual(created);
      await refused(
        [...remove, 'Production'],
        'The default environment cannot be deleted; make another one the default first.',
      );
    });

    it('rejects unknown projects and environments', async () => {
      const [nowhere, missing] = [
        ['--project', '987654', '--name', 'Production'],
        ['--project', project, '--name', 'Nope'],
      ];
      await refused(['environments:create', ...nowhere], 'There is no project 987654.');
      await refused(['environments:update', ...nowhere, '--default'], 'There is no project 987654.');
      await refused(['environments:delete', ...nowhere], 'There is no project 987654.');
      const reason = `There is no environment named Nope in project ${project}.`;
      await refused(['environments:update', ...missing, '--default'], reason);
      await refused(['environments:delete', ...missing], reason);
    });
  });

  describe('the trash', () => {
    async function deletedExperiment(): Promise<number> {
      const { client } = world.people.admin;
      const { experiment } = await readyExperiment(client, world.project);
      await client.delete(`${world.project}/experiments/${experiment}`);
      return experiment;
    }

    async function deletedProject(): Promise<number> {
      const id = await api.project(world.teamId, 'Deleted');
      await world.people.admin.client.delete(`/projects/${id}`);
      return id;
    }

    async function isInTrash(type: string, id: number): Promise<boolean> {
      return (await admin.json(['trash:list', '--type', type, '--id', String(id)])).length === 1;
    }

    async function makeOld(table: string, id: number): Promise<void> {
      await api.database.transaction(async (tx) => {
        await tx.query(`UPDATE ${table} SET deleted_at = deleted_at - ? WHERE id = ?`, [
          THIRTY_DAYS_MICROS,
          id,
        ]);
      });
    }

    it('lists deleted records with their purge dates', async () => {
      const [experiment, deleted] = [await deletedExperiment(), await deletedProject()];
      const items: Record<string, string>[] = await admin.json(['trash:list']);
      expect(items).toContainEqual(
        expect.objectContaining({ type: 'project', id: deleted, name: 'Deleted' }),
      );
      const item = items.find(({ type, id }) => type === 'experiment' && Number(id) === experiment);
      expect(item).toMatchObject({ name: 'Experiment', project_id: world.projectId });
      const kept = Date.parse(item?.purge_at ?? '') - Date.parse(item?.deleted_at ?? '');
      expect(kept).toBe(THIRTY_DAYS_MICROS / 1000);
      const { stdout } = await admin.run(['trash:list', '--type', 'project']);
      expect(stdout).toMatch(new RegExp(`^project +${deleted} +Deleted +${deleted} `, 'm'));
      expect(stdout).not.toMatch(/^experiment/m);
    });

    it('restores a project and an experiment', async () => {
      const [experiment, deleted] = [await deletedExperiment(), await deletedProject()];
      const { client } = world.people.viewer;
      expect(await admin.json(['trash:restore', '--type', 'project', '--id', String(deleted)])).toEqual({
        type: 'project',
        id: deleted,
        restored: true,
      });
      expect((await client.get(`/projects/${deleted}`)).status).toBe(200);
      await admin.json(['trash:restore', '--type', 'experiment', '--id', String(experiment)]);
      expect((await client.get(`${world.project}/experiments/${experiment}`)).status).toBe(200);
      const again = ['trash:restore', '--type', 'experiment', '--id', String(experiment)];
      await refused(again, `The experiment with id ${experiment} is not in the trash.`);
    });

    it('refuses to restore an experiment into a deleted project', async () => {
      const { client } = world.people.admin;
      const parent = await api.project(world.teamId, 'Parent');
      const { experiment } = await readyExperiment(client, `/projects/${parent}`);
      await client.delete(`/projects/${parent}/experiments/${experiment}`);
      await client.delete(`/projects/${parent}`);
      await refused(
        ['trash:restore', '--type', 'experiment', '--id', String(experiment)],
        `The experiment with id ${experiment} belongs to a project that is itself in the trash; restore the project first.`,
      );
    });

    it('purges the given records immediately', async () => {
      const experiment = await deletedExperiment();
      const purge = ['trash:purge', '--type', 'experiment', '--id', String(experiment)];
      expect(await admin.json(purge)).toEqual([{ type: 'experiment', id: experiment }]);
      expect(await isInTrash('experiment', experiment)).toBe(false);
      await refused(purge, `The experiment with id ${experiment} is not in the trash.`);
    });

    it('lists an interrupted purge, and finishes it', async () => {
      const experiment = await deletedExperiment();
      await api.database.transaction((tx) => insertPurge(tx, world.projectId, experiment));
      const { stdout } = await admin.run(['trash:list', '--id', String(experiment)]);
      expect(stdout).toMatch(new RegExp(`^experiment +${experiment} +Experiment .* being purged$`, 'm'));
      const key = ['--type', 'experiment', '--id', String(experiment)];
      const reason = `The experiment with id ${experiment} is being purged, so it cannot be restored.`;
      await refused(['trash:restore', ...key], reason);
      expect((await admin.run(['trash:purge'])).stdout).toMatch(
        new RegExp(`^experiment +${experiment}$`, 'm'),
      );
      expect(await isInTrash('experiment', experiment)).toBe(false);
    });

    it('without arguments, purges only records that are due', async () => {
      const [young, old, project] = [
        await deletedExperiment(),
        await deletedExperiment(),
        await deletedProject(),
      ];
      await makeOld('experiments', old);
      await makeOld('projects', project);
      expect(await admin.json(['trash:purge'])).toEqual([
        { type: 'project', id: project },
        { type: 'experiment', id: old },
      ]);
      expect(await isInTrash('experiment', young)).toBe(true);
      expect((await admin.run(['trash:purge'])).stdout).toBe('Nothing was due to be purged.\n');
    });
  });
});
