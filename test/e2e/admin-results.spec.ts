import type { AdminAnswer } from '../support/admin';
import { AdminCommand } from '../support/admin';
import { SECRET } from '../support/api';
import { attributeAll, conversion, exposure, send, shownCells } from '../support/events';
import { anotherProject, Made, useScene } from '../support/scene';

const scene = useScene();
let admin: AdminCommand;
let experiment: Made;
let sibling: Made;
let elsewhere: Made;

const rebuiltOf = ({ id, project_id, name }: Made): object => ({ id, project_id, name, rebuilt: true });

async function refused(args: string[], reason: string): Promise<void> {
  const answer = await admin.run([...args, '--json']);
  expect(answer).toEqual<AdminAnswer>({ code: 1, stdout: '', stderr: `${reason}\n` });
}

beforeAll(async () => {
  admin = new AdminCommand(scene.api.databaseUrl, {
    PUBLIC_URL: 'https://ab.example.com',
    SESSION_SECRET: SECRET,
  });
  experiment = await scene.make.withStatus('running', { name: 'Button' });
  sibling = await scene.make.withStatus('running', { name: 'Banner' });
  const other = await anotherProject(scene);
  elsewhere = await other.withStatus('running', { name: 'Elsewhere' });
  for (const { project_id, id, variations, goals } of [experiment, sibling, elsewhere]) {
    const { body } = await scene.client.get(`/projects/${project_id}`);
    const messages = variations.flatMap((variation: Made, index: number) => {
      const visitor = `visitor-${id}-${index}`;
      return [exposure(visitor, id, variation.id), conversion(visitor, goals[0].name.toLowerCase())];
    });
    const answer = await send(scene.api, body.client_key, messages);
    expect(answer.body).toMatchObject({ accepted: 4 });
  }
  await attributeAll(scene.api);
});

afterAll(() => admin.remove());

describe('results:rebuild', () => {
  /** Corrupts the results of all experiments. */
  const spoil = (): Promise<unknown> =>
    scene.api.database.transaction(async (tx) => {
      await tx.query('UPDATE result_cells SET participants = participants + 7');
      await tx.query('UPDATE entry_cells SET participants = participants + 7');
    });

  const wrongOnes = async (right: string[]): Promise<Set<string | undefined>> => {
    const cells = (await shownCells(scene.api)).filter((cell) => !right.includes(cell));
    return new Set(cells.map((cell) => /^experiment_id=(\d+)/.exec(cell)?.[1]));
  };

  it('rebuilds the requested results, and lists them', async () => {
    const right = await shownCells(scene.api);
    await spoil();
    const one = await admin.json(['results:rebuild', '--experiment', String(sibling.id)]);
    expect(one).toEqual([rebuiltOf(sibling)]);
    expect(await wrongOnes(right)).toEqual(new Set([String(experiment.id), String(elsewhere.id)]));
    const project = ['--project', String(experiment.project_id)];
    expect(await admin.json(['results:rebuild', ...project])).toEqual([experiment, sibling].map(rebuiltOf));
    expect(await wrongOnes(right)).toEqual(new Set([String(elsewhere.id)]));
    expect(await admin.json(['results:rebuild'])).toEqual([experiment, sibling, elsewhere].map(rebuiltOf));
    expect(await shownCells(scene.api)).toEqual(right);
    const both = [...project, '--experiment', String(experiment.id)];
    expect(await admin.json(['results:rebuild', ...both])).toEqual([rebuiltOf(experiment)]);
  });

  it('prints a table', async () => {
    const { stdout } = await admin.run(['results:rebuild', '--experiment', String(experiment.id)]);
    expect(stdout).toMatch(/^id +project_id +name +rebuilt\n\d+ +\d+ +Button +yes\n$/);
    const empty = await scene.make.withStatus('running');
    const none = await admin.run(['results:rebuild', '--experiment', String(empty.id)]);
    expect(none).toEqual({ code: 0, stdout: 'There are no results to rebuild.\n', stderr: '' });
  });

  it('is rejected for unknown records', async () => {
    const gone = await scene.make.ready();
    expect((await scene.client.delete(gone.path)).status).toBe(204);
    await refused(['results:rebuild', '--experiment', '987654'], 'There is no experiment 987654.');
    await refused(['results:rebuild', '--experiment', String(gone.id)], `There is no experiment ${gone.id}.`);
    await refused(['results:rebuild', '--project', '987654'], 'There is no project 987654.');
    const mixed = ['--project', String(experiment.project_id), '--experiment', String(elsewhere.id)];
    await refused(
      ['results:rebuild', ...mixed],
      `There is no experiment ${elsewhere.id} in project ${experiment.project_id}.`,
    );
  });
});

describe('shares:rotate', () => {
  it('replaces the share link, and the old link returns 404', async () => {
    const info = `${experiment.path}/results/info`;
    const before = await scene.client.get(info);
    const record = await scene.client.get(experiment.path);
    const rotated = await admin.json(['shares:rotate', '--experiment', String(experiment.id)]);
    expect(rotated).toEqual({
      experiment_id: experiment.id,
      share_token: expect.stringMatching(/^[\w-]{43}$/),
      share_url: `https://ab.example.com/share/${rotated.share_token}`,
    });
    const { share_token, share_url } = rotated;
    expect(share_token).not.toBe(before.body.share_token);
    const after = await scene.client.get(info, { 'if-none-match': String(before.headers.etag) });
    expect([after.status, after.body]).toEqual([200, { ...before.body, share_token, share_url }]);
    expect((await scene.client.get(experiment.path)).headers.etag).not.toBe(record.headers.etag);
  });

  it('leaves an audit entry without the secret', async () => {
    const entries: { source: string; after: string | null }[] = await scene.api.database.read.query(
      "SELECT * FROM audit_entries WHERE action = 'rotate-share-token' AND item_id = ?",
      [experiment.id],
    );
    const { share_token } = (await scene.client.get(`${experiment.path}/results/info`)).body;
    expect(entries).toMatchObject([{ source: 'admin' }]);
    expect(JSON.stringify(entries)).not.toContain(share_token);
  });

  it('is rejected for unknown records', async () => {
    await refused(['shares:rotate', '--experiment', '987654'], 'There is no experiment 987654.');
  });
});

describe('previews:rotate', () => {
  it('replaces all preview links, and leaves an audit entry without them', async () => {
    await scene.client.patch(experiment.path, { example_url: 'https://shop.example.com/' });
    const before = (await scene.client.get(experiment.path)).body;
    const rotated = await admin.json(['previews:rotate', '--experiment', String(experiment.id)]);
    const { variations } = (await scene.client.get(experiment.path)).body;
    expect(rotated).toEqual(variations.map(({ id, preview_url }: Made) => ({ id, preview_url })));
    expect(rotated).toHaveLength(before.variations.length);
    for (const { preview_url } of before.variations) {
      expect(JSON.stringify(rotated)).not.toContain(preview_url);
    }
    const entries: { source: string }[] = await scene.api.database.read.query(
      "SELECT * FROM audit_entries WHERE action = 'rotate-previews' AND item_id = ?",
      [experiment.id],
    );
    expect(entries).toMatchObject([{ source: 'admin' }]);
    expect(JSON.stringify(entries)).not.toContain('gosset_preview');
  });

  it('prints long links in full', async () => {
    const example_url = `https://shop.example.com/${'tea-pots/'.repeat(60)}`;
    await scene.client.patch(experiment.path, { example_url });
    const { stdout } = await admin.run(['previews:rotate', '--experiment', String(experiment.id)]);
    const { variations } = (await scene.client.get(experiment.path)).body;
    const links = variations.map(({ id, preview_url }: Made) => [String(id), preview_url]);
    const [, ...rows] = stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.split(/\s+/))).toEqual(links);
  });

  it('is rejected without the server secret, and keeps the links', async () => {
    const before = (await scene.client.get(experiment.path)).body;
    const other = new AdminCommand(scene.api.databaseUrl);
    const answer = await other.run(['previews:rotate', '--experiment', String(experiment.id)]);
    other.remove();
    expect([answer.code, answer.stdout]).toEqual([1, '']);
    expect(answer.stderr).toContain('SESSION_SECRET is required');
    expect((await scene.client.get(experiment.path)).body).toEqual(before);
  });

  it('is rejected for unknown records', async () => {
    await refused(['previews:rotate', '--experiment', '987654'], 'There is no experiment 987654.');
  });
});
