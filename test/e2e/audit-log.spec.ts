import { anotherProject, errorsOf, type Made, refusedPaths, TIMESTAMP, useScene } from '../support/scene';

/* The audit log of a project in the REST API. */

const scene = useScene();

interface Entry {
  id: number;
  created_at: string;
  action: string;
  item_type: string;
  item_id: number;
  item_name: string | null;
  actor: Record<string, unknown>;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  request_id: string | null;
}

const entriesOf = async (project: string, query = ''): Promise<Entry[]> =>
  (await scene.client.get(`${project}/audit${query}`)).body as Entry[];

const linesOf = async (project: string, query = '', client = scene.client): Promise<Entry[]> => {
  const answer = await client.get(`${project}/audit${query}`, { accept: 'application/x-ndjson' });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
  return answer.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
};

const brief = ({ action, item_type, item_name }: Entry): string => `${action} ${item_type} ${item_name}`;

/** Creates, edits and starts an experiment, then edits and publishes it. */
async function busyProject(): Promise<{ project: string; experiment: Made }> {
  const make = await anotherProject(scene, 'Busy');
  const experiment = await make.ready({ name: 'Button', example_url: 'https://shop.example.com/' });
  await scene.client.patch(experiment.path, { traffic_allocation: 50 }, { 'x-request-id': 'halve-it' });
  await make.move(experiment, 'running');
  await scene.client.patch(experiment.path, { name: 'Big button', js: 'document.title = "Big";' });
  await scene.client.patch(`${experiment.path}/publish`);
  return { project: make.project, experiment };
}

describe('the audit log', () => {
  it('lists every change, newest first, with author, fields and request', async () => {
    const { project, experiment } = await busyProject();
    const entries = await entriesOf(project);
    expect(entries.map(brief)).toEqual([
      'publish project Busy',
      'update experiment Big button',
      'publish project Busy',
      'status experiment Button',
      'update experiment Button',
      'create experiment Button',
      'create goal Goal',
      'create page Page',
      'create environment Production',
      'create project Busy',
    ]);
    const { admin } = scene.world.people;
    expect(entries[4]).toEqual({
      id: expect.any(Number),
      created_at: expect.stringMatching(TIMESTAMP),
      actor: {
        type: 'token',
        user_id: admin.id,
        user_name: expect.stringMatching(/^Person/),
        token_id: expect.any(Number),
        token_name: 'Test',
      },
      action: 'update',
      item_type: 'experiment',
      item_id: experiment.id,
      item_name: 'Button',
      before: { traffic_allocation: 100 },
      after: { traffic_allocation: 50 },
      request_id: 'halve-it',
    });
    expect(entries[9]).toMatchObject({ actor: { type: 'command', user_id: null }, request_id: null });
  });

  it('is paged even if the request names no page', async () => {
    const { project } = await busyProject();
    const first = await scene.client.get(`${project}/audit?per_page=4`);
    expect([first.body.length, first.headers['x-total-count']]).toEqual([4, '10']);
    expect(first.headers.link).toContain('per_page=4&page=2>; rel="next"');
    const all = await scene.client.get(`${project}/audit`);
    expect([all.body.length, all.headers.link]).toEqual([10, expect.stringContaining('rel="last"')]);
    const last = await entriesOf(project, '?per_page=4&page=3');
    expect(last.map(brief)).toEqual(['create environment Production', 'create project Busy']);
  });

  it('is filtered by record, user, action and time', async () => {
    const { project, experiment } = await busyProject();
    const all = await entriesOf(project);
    const briefly = async (query: string) => (await entriesOf(project, query)).map(({ id }) => id);
    const where = (test: (entry: Entry) => boolean) => all.filter(test).map(({ id }) => id);
    expect(await briefly('?action=status,publish')).toEqual([all[0].id, all[2].id, all[3].id]);
    expect(await briefly('?item_type=goal&item_type=page')).toEqual([all[6].id, all[7].id]);
    expect(await briefly(`?item_type=experiment&item_id=${experiment.id}`)).toEqual(
      where(({ item_type }) => item_type === 'experiment'),
    );
    expect(await briefly(`?user_id=${scene.world.people.admin.id}`)).toEqual(
      where(({ actor }) => actor.user_id !== null),
    );
    expect(await briefly('?user_id=0')).toEqual([]);
    expect(await briefly(`?since=${all[4].created_at}`)).toEqual(all.slice(0, 5).map(({ id }) => id));
    expect(await briefly(`?until=${all[4].created_at}`)).toEqual(all.slice(5).map(({ id }) => id));
    expect(await briefly(`?after_id=${all[4].id}`)).toEqual(all.slice(0, 4).map(({ id }) => id));
  });

  // The texts with "caf" differ in Unicode normal form. MySQL folds the case of the last ones differently than
  // JavaScript.
  const found = ['Überschrift', 'überSCHRIFT', 'ΟΔΟΣ', ' über ', 'Caf\u00e9', 'CAFE\u0301'];
  it.each([...found, 'İstanbul', 'i\u0307STANBUL', 'STRAẞE', 'straße', '𐐀', '𐐨'])(
    'is searched by name in the same way as lists: %s',
    async (search) => {
      const make = await anotherProject(scene, 'Search');
      const name = 'Überschrift, οδος, Cafe\u0301, İstanbul, STRAẞE, 𐐀';
      await make.goal({ name });
      await make.goal({ name: 'n' });
      const query = `?search=${encodeURIComponent(search)}`;
      expect((await scene.client.get(`${make.project}/goals${query}`)).body).toHaveLength(1);
      expect((await entriesOf(make.project, query)).map(brief)).toEqual([`create goal ${name}`]);
    },
  );

  it('is streamed as lines, oldest first, starting after a given entry', async () => {
    const { project, experiment } = await busyProject();
    const lines = await linesOf(project);
    expect(lines).toEqual((await entriesOf(project)).reverse());
    const last = lines.at(-1)?.id;
    expect(await linesOf(project, `?after_id=${last}`)).toEqual([]);
    await scene.client.patch(experiment.path, { description: 'Blue' });
    expect((await linesOf(project, `?after_id=${last}`)).map(({ after }) => after)).toEqual([
      { description: 'Blue' },
    ]);
  });

  it('streams more entries than one read returns', async () => {
    const make = await anotherProject(scene, 'Long');
    const goal = await make.goal();
    for (let count = 0; count < 510; count += 1) {
      await scene.client.patch(goal.path, { description: `${count}` });
    }
    const lines = await linesOf(make.project, '?action=update');
    expect(lines.map(({ after }) => after?.description)).toEqual(
      Array.from({ length: 510 }, (_, count) => `${count}`),
    );
  });

  it('truncates long text on pages that would be too long, and shows it in full elsewhere', async () => {
    const make = await anotherProject(scene, 'Code');
    const experiment = await make.ready();
    const code = Array.from({ length: 25 }, (_, count) => `// ${count} `.padEnd(100_000, 'x'));
    for (const js of code) {
      expect((await scene.client.patch(experiment.path, { js })).status).toBe(200);
    }
    const { project } = make;
    const page = await entriesOf(project, '?action=update&item_type=experiment');
    expect(page).toHaveLength(code.length);
    expect(page[0].after?.js).toBe(`${code[24].slice(0, 1_000)}… (100000 characters)`);
    expect((await entriesOf(project, '?per_page=1'))[0].after?.js).toBe(code[24]);
    const lines = await linesOf(project, '?action=update&item_type=experiment');
    expect(lines.map(({ after }) => after?.js)).toEqual(code);
  });

  it('numbers concurrent changes in commit order', async () => {
    const make = await anotherProject(scene, 'Concurrent');
    const seen: number[] = [];
    const made = Array.from({ length: 40 }, (_, count) => make.goal({ name: `Goal ${count}` }));
    for (let round = 0; round < 40; round += 1) {
      await Promise.race(made.slice(round));
      const lines = await linesOf(make.project, `?after_id=${seen.at(-1) ?? 0}`);
      seen.push(...lines.map(({ id }) => id));
    }
    await Promise.all(made);
    const lines = await linesOf(make.project);
    const rest = lines.filter(({ id }) => id > (seen.at(-1) ?? 0)).map(({ id }) => id);
    expect([...seen, ...rest]).toEqual(lines.map(({ id }) => id));
  });

  it('contains no preview links', async () => {
    const { project, experiment } = await busyProject();
    expect(experiment.variations[1].preview_url).toContain('gosset_preview=');
    const [created] = await entriesOf(project, '?item_type=experiment&action=create');
    expect(created.after?.variations).toHaveLength(2);
    expect(JSON.stringify(created)).not.toContain('preview');
  });

  it('keeps the name of a deleted record', async () => {
    const make = await anotherProject(scene, 'Deletions');
    const page = await make.page({ name: 'Short-lived' });
    await scene.client.delete(page.path);
    const [deleted] = await entriesOf(make.project);
    expect([brief(deleted), deleted.before?.name, deleted.after]).toEqual([
      'delete page Short-lived',
      'Short-lived',
      null,
    ]);
  });

  it('rejects invalid filters, and names them', async () => {
    const answer = await scene.client.get(
      `${scene.project}/audit?since=yesterday&until=&item_id=x&user_id=-1&after_id=1e3`,
    );
    expect(errorsOf(answer)).toEqual({
      item_id: ['The item_id parameter must be a whole number between 0 and 999999999999999.'],
      user_id: ['The user_id parameter must be a whole number between 0 and 999999999999999.'],
      since: ['The since parameter must be a time such as 2026-05-01T09:30:00Z.'],
      until: ['The until parameter must be a time such as 2026-05-01T09:30:00Z.'],
      after_id: ['The after_id parameter must be a whole number between 0 and 999999999999999.'],
    });
    const both = await scene.client.get(`${scene.project}/audit?user_id=x&page=0`);
    expect(refusedPaths(both)).toEqual(['page', 'user_id']);
    expect(Object.keys(errorsOf(await scene.client.get(`${scene.project}/audit?per_page=501`)))).toEqual([
      'per_page',
    ]);
  });

  it('rejects unknown actions and item types, and lists the known ones', async () => {
    const query = '?action=status,updates&item_type=experiments&item_type=goal';
    const { action, item_type, ...others } = errorsOf(
      await scene.client.get(`${scene.project}/audit${query}`),
    );
    expect(others).toEqual({});
    expect(action).toEqual([expect.stringMatching(/^The action must be one or more of: create, .*status, /)]);
    expect(item_type).toEqual([
      expect.stringMatching(/^The item_type must be one or more of: project, .*experiment, .*goal, /),
    ]);
  });

  it.each(['action', 'item_type'])('rejects an empty %s, which would match nothing', async (name) => {
    for (const query of [`${name}=`, `${name}=,`]) {
      expect(refusedPaths(await scene.client.get(`${scene.project}/audit?${query}`))).toEqual([name]);
    }
  });

  it('is streamed for the media type in any letter case', async () => {
    const answer = await scene.client.get(`${scene.project}/audit`, { accept: 'Application/X-NDJSON' });
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
  });

  it.each([
    ['application/json, application/x-ndjson;q=0.5', 'application/json; charset=utf-8'],
    ['application/x-ndjson;q=0', 'application/json; charset=utf-8'],
    ['application/x-ndjson, application/json', 'application/x-ndjson'],
  ])('has a format that depends on Accept, and varies with it: %s', async (accept, type) => {
    const { headers } = await scene.client.get(`${scene.project}/audit`, { accept });
    expect([headers['content-type'], headers.vary]).toEqual([type, 'Accept, Accept-Encoding']);
  });

  it('is only accessible to members of the team', async () => {
    const { viewer } = scene.world.people;
    expect((await linesOf(scene.project, '', viewer.client)).length).toBeGreaterThan(0);
    const outside = await scene.other.client.get(`${scene.project}/audit`, {
      accept: 'application/x-ndjson',
    });
    expect([outside.status, outside.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
  });
});

describe('every entry', () => {
  it('contains neither secret links nor e-mail addresses', async () => {
    const { project, experiment } = await busyProject();
    const { client, world } = scene;
    const email = `stranger-${experiment.id}@example.com`;
    await client.post(`/teams/${world.teamId}/members`, { email, role: 'viewer' });
    await client.post(`${experiment.path}/previews/rotate`, {});
    const { body: shared } = await client.post(`${experiment.path}/results/share/rotate`, {});
    await client.post(`${experiment.path}/clone`, {});
    await client.patch(experiment.path, { example_url: 'https://shop.example.com/other' });
    await client.patch(`${experiment.path}/variations/${experiment.variations[1].id}`, {
      js: 'window.a = 1;',
    });
    await client.delete(experiment.path);
    const [{ id }] = await entriesOf(project, '?action=delete');
    const reverted = await client.post(`${project}/audit/${id}/revert`, {});
    const text = JSON.stringify([await linesOf(project), reverted.body]);
    expect(text.length).toBeGreaterThan(5_000);
    const tokens = [...new Set(JSON.stringify(shared).match(/[\w-]{43}/g))];
    expect(tokens).toHaveLength(1);
    for (const secret of ['gosset_preview', 'preview_url', 'share_token', '@', ...tokens]) {
      expect(text).not.toContain(secret);
    }
  });
});
