import { TestApi } from '../support/api';
import { errorsOf, TIMESTAMP, useScene } from '../support/scene';

const scene = useScene();
let path: string;
beforeAll(() => {
  path = `/teams/${scene.world.teamId}/members`;
});

let addresses = 0;
const newAddress = (): string => `invited-${(addresses += 1)}@example.com`;

const actionsOf = async (itemType: string, itemId: number): Promise<unknown[]> =>
  (
    await scene.api.database.read.query<{ action: string; project_id: number | null; source: string }[]>(
      'SELECT action, project_id, source FROM audit_entries WHERE item_type = ? AND item_id = ? ORDER BY id',
      [itemType, itemId],
    )
  ).map(({ action, project_id, source }) => [action, project_id, source]);

describe('the members of a team', () => {
  it('are listed with their roles, in the order of their ids', async () => {
    const { people } = scene.world;
    const { body, headers } = await scene.client.get(path);
    expect(body).toEqual(
      (['viewer', 'editor', 'publisher', 'admin'] as const).map((role) => ({
        user_id: people[role].id,
        email: people[role].email,
        name: expect.stringMatching(/^Person \d+$/),
        role,
        created_at: expect.stringMatching(TIMESTAMP),
      })),
    );
    expect(headers['x-total-count']).toBe('4');
  });

  it('can be paginated, sorted and searched like other lists', async () => {
    const { body: all } = await scene.client.get(path);
    const names = (query: string) =>
      scene.client
        .get(`${path}?${query}`)
        .then(({ body }) => (body as { name: string }[]).map(({ name }) => name));
    const sorted = (all as { name: string }[]).map(({ name }) => name).sort();
    expect(await names('sort=-name')).toEqual([...sorted].reverse());
    expect(await names('sort=name&page=2&per_page=3')).toEqual(sorted.slice(3, 6));
    expect(await names(`search=${sorted[1].toUpperCase().replace(' ', '+')}`)).toEqual([sorted[1]]);
    expect(errorsOf(await scene.client.get(`${path}?sort=email`))).toEqual({ sort: [expect.any(String)] });
  });

  it('can be read individually, at the URL in Location', async () => {
    const added = await scene.client.post(path, { email: newAddress(), role: 'viewer' });
    const { invitation_url, ...member } = added.body;
    expect(added.headers.location).toBe(`https://ab.example.com/api${path}/${member.user_id}`);
    const { body, headers } = await scene.client.get(`${path}/${member.user_id}`);
    expect([body, headers.etag]).toEqual([member, added.headers.etag]);
    expect(invitation_url).toMatch(/^https:\/\/ab\.example\.com\/invitation\/[\w-]{43}$/);
  });

  it.each(['0', '01', 'me', '-1', '99999999999', '2147483647'])(
    'do not include a member with the id %s',
    async (id) => {
      for (const answer of [
        await scene.client.get(`${path}/${id}`),
        await scene.client.patch(`${path}/${id}`, { role: 'viewer' }),
        await scene.client.delete(`${path}/${id}`),
        await scene.client.post(`${path}/${id}/invitation`),
      ]) {
        expect([answer.status, answer.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
      }
    },
  );

  it('do not include users of other teams', async () => {
    const { outsider } = scene.world;
    expect((await scene.client.delete(`${path}/${outsider.id}`)).status).toBe(404);
    expect((await outsider.client.get(path)).status).toBe(404);
  });
});

describe('adding a member', () => {
  it('adds an existing user without sending an invitation or changing the name', async () => {
    const person = await scene.api.person();
    const before = (await scene.client.get(path)).headers.etag;
    const body = { email: ` ${person.email.toUpperCase()} `, name: 'Another name', role: 'editor' };
    const added = await scene.client.post(path, body);
    expect([added.status, added.body]).toEqual([
      201,
      {
        user_id: person.id,
        email: person.email,
        name: expect.stringMatching(/^Person/),
        role: 'editor',
        created_at: expect.stringMatching(TIMESTAMP),
        invitation_url: null,
      },
    ]);
    expect((await person.client.get(scene.project)).status).toBe(200);
    expect((await scene.client.get(path)).headers.etag).not.toBe(before);
  });

  it('creates a user for an unknown address, with a name derived from it', async () => {
    const added = await scene.client.post(path, { email: 'Grace.Hopper@Example.com', role: 'publisher' });
    expect(added.body).toMatchObject({
      email: 'grace.hopper@example.com',
      name: 'Grace.Hopper'.toLowerCase(),
    });
    expect(await actionsOf('user', added.body.user_id as number)).toEqual([['create', null, 'api']]);
    const ofTeam = await actionsOf('team', scene.world.teamId);
    expect(ofTeam.at(-1)).toEqual(['add-member', null, 'api']);
  });

  it('keeps only a hash of the secret in the invitation link', async () => {
    const { body } = await scene.client.post(
      path,
      { email: newAddress(), role: 'viewer' },
      { 'idempotency-key': 'kept-without-secret' },
    );
    const secret = (body.invitation_url as string).split('/').at(-1)!;
    const { read } = scene.api.database;
    const dumps = await Promise.all(
      ['invitations', 'idempotency_keys', 'idempotency_bodies', 'audit_entries', 'users'].map((table) =>
        read.query<object[]>(`SELECT * FROM ${table}`),
      ),
    );
    const text = dumps
      .flat()
      .flatMap((row) => Object.values(row))
      .map((value) => (Buffer.isBuffer(value) ? value.toString() : String(value)))
      .join('\n');
    expect(text).toContain(String(body.email));
    expect(text).not.toContain(secret);
  });

  it('repeats the response without the link for a repeated request', async () => {
    const [body, key] = [{ email: newAddress(), role: 'viewer' }, { 'idempotency-key': 'once' }];
    const first = await scene.client.post(path, body, key);
    const again = await scene.client.post(path, body, key);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect([again.status, again.body]).toEqual([201, { ...first.body, invitation_url: null }]);
  });

  it('stores nothing and returns no link in a dry run', async () => {
    const email = newAddress();
    const rehearsed = await scene.client.post(`${path}?dry_run=1`, { email, role: 'viewer' });
    expect([rehearsed.status, rehearsed.body]).toMatchObject([
      201,
      { user_id: null, email, invitation_url: null },
    ]);
    const person = await scene.api.person();
    const known = await scene.client.post(`${path}?dry_run=1`, { email: person.email, role: 'viewer' });
    expect(known.body).toMatchObject({ user_id: person.id, invitation_url: null });
    const { body } = await scene.client.get(`${path}?search=${email.split('@')[0]}`);
    expect(body).toEqual([]);
    expect((await person.client.get(scene.project)).status).toBe(404);
  });

  it.each<[string, object, Record<string, string>]>([
    ['an empty body', {}, { email: 'The email field is required.', role: 'The role field is required.' }],
    [
      'a name of invisible characters',
      { email: 'ada@example.com', name: '\u200b', role: 'viewer' },
      { name: 'The name must contain a visible character.' },
    ],
    [
      'an invalid address',
      { email: 'ada', role: 'viewer' },
      { email: 'The email must be an e-mail address such as ada@example.com.' },
    ],
    [
      'a name in the address',
      { email: 'Ada <ada@example.com>', role: 'viewer' },
      { email: 'The email must be an e-mail address such as ada@example.com.' },
    ],
    [
      'two addresses',
      { email: 'a@b.c,d@e.f', role: 'viewer' },
      { email: 'The email must be an e-mail address such as ada@example.com.' },
    ],
    ['a number as the address', { email: 7, role: 'viewer' }, { email: 'The email must be a string.' }],
    [
      'a NUL',
      { email: 'a\0@example.com', role: 'viewer' },
      { email: 'The email may not contain NUL characters.' },
    ],
    [
      'a long address',
      { email: `${'a'.repeat(250)}@b.com`, role: 'viewer' },
      { email: 'The email may not be longer than 255 characters.' },
    ],
    [
      'an address that becomes longer in lower case',
      { email: `${'İ'.repeat(240)}@b.com`, role: 'viewer' },
      { email: 'The email may not be longer than 255 characters.' },
    ],
    [
      'an unknown role',
      { email: 'a@b.com', role: 'owner' },
      { role: 'The role must be one of: viewer, editor, publisher, admin.' },
    ],
    [
      'a list as the role',
      { email: 'a@b.com', role: ['admin'] },
      { role: 'The role must be one of: viewer, editor, publisher, admin.' },
    ],
    [
      'an empty name',
      { email: 'a@b.com', role: 'viewer', name: ' ' },
      { name: 'The name field is required.' },
    ],
    [
      'an unknown field',
      { email: 'a@b.com', role: 'viewer', password: 'x' },
      { password: 'The field password is unknown.' },
    ],
    [
      'an invitation link',
      { email: 'a@b.com', role: 'viewer', invitation_url: 'x' },
      { invitation_url: 'The invitation_url field is read-only.' },
    ],
  ])('rejects %s', async (_, body, errors) => {
    const expected = Object.fromEntries(Object.entries(errors).map(([field, message]) => [field, [message]]));
    expect(errorsOf(await scene.client.post(path, body))).toEqual(expected);
  });

  it('rejects an existing member', async () => {
    const { email } = scene.world.people.viewer;
    expect(errorsOf(await scene.client.post(path, { email, role: 'admin' }))).toEqual({
      email: [`${email} is already a member of the team.`],
    });
  });

  it('creates one user if two processes add the same address at the same time', async () => {
    const otherTeam = await scene.api.team('Other');
    await scene.api.join(otherTeam, scene.world.people.admin, 'admin');
    const [email, other] = [newAddress(), `/teams/${otherTeam}/members`];
    const sibling: TestApi = await scene.api.sibling();
    const client = sibling.as(scene.world.people.admin.token);
    const answers = await Promise.all([
      scene.client.post(path, { email, role: 'viewer' }),
      client.post(other, { email, role: 'viewer' }),
    ]);
    await sibling.close();
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set(answers.map(({ body }) => body.user_id as number)).size).toBe(1);
    expect(answers.filter(({ body }) => body.invitation_url !== null)).toHaveLength(1);
  });
});
