import { TokensService } from '../../src/users/tokens/tokens.service';
import { UsersService } from '../../src/users/users.service';
import type { Person } from '../support/api';
import { Maker, useScene } from '../support/scene';
import { inHours, runSchedules, shiftClock, useSchedules } from '../support/schedules';

/* Schedules of users who have since lost the permission to set them. */

const scene = useScene();
const { read, schedule, actionsOf } = useSchedules(scene);

let person: Person;
let member: string;

beforeEach(async () => {
  person = await scene.api.person();
  await scene.api.join(scene.world.teamId, person, 'publisher');
  member = `/teams/${scene.world.teamId}/members/${person.id}`;
});

const service = <T>(type: new (...given: never[]) => T): T => scene.api.app.get(type, { strict: false });

const tokenOf = async (): Promise<number> => {
  const [{ id }] = await service(TokensService).list(person.id);
  return id;
};

const LOSSES: [loss: string, lose: () => Promise<unknown>, reason: RegExp][] = [
  [
    'disabled',
    () => service(UsersService).disable(person.id, 'admin'),
    /^The user who set it, Person \d+, is disabled\.$/,
  ],
  [
    'removed from the team',
    () => scene.client.delete(member),
    /^The user who set it, Person \d+, is no longer a member of the team\.$/,
  ],
  [
    'made an editor',
    () => scene.client.patch(member, { role: 'editor' }),
    /^The user who set it, Person \d+, is now an editor and may no longer do this\.$/,
  ],
  [
    'made a viewer',
    () => scene.client.patch(member, { role: 'viewer' }),
    /^The user who set it, Person \d+, is now a viewer and may no longer do this\.$/,
  ],
  [
    'without the token, which was revoked',
    async () => service(TokensService).revoke(await tokenOf(), 'admin'),
    /^The API token of Person \d+ that set it was revoked or has expired\.$/,
  ],
  [
    'deleted',
    () => scene.api.database.writer.query('DELETE FROM users WHERE id = ?', [person.id]),
    /^The user who set it was deleted\.$/,
  ],
];

it.each(LOSSES)('a start and an end are refused: the user is %s', async (_, lose, reason) => {
  const make = new Maker(person.client, scene.project);
  const starting = await make.ready({ starts_at: inHours(1) });
  const ending = await make.withStatus('running');
  await person.client.patch(ending.path, { ends_at: inHours(1) });
  await lose();
  shiftClock(2);
  await runSchedules(scene.api);
  for (const [experiment, noun, status] of [
    [starting, 'start', 'draft'],
    [ending, 'end', 'running'],
  ] as const) {
    const now = await read(experiment);
    expect(now).toMatchObject({ status, starts_at: null, ends_at: null });
    const [, found = ''] =
      new RegExp(`^The ${noun} scheduled for \\S+ was rejected\\. (.*)$`).exec(
        now.schedule_error as string,
      ) ?? [];
    expect(found).toMatch(reason);
    expect(await actionsOf(experiment)).toEqual(['schedule-refused']);
  }
});

it('a start is refused if the token has expired', async () => {
  const token = await scene.api.token(person.id, 'write', {
    expiresAt: (Date.now() + 24 * 3_600_000) * 1_000,
  });
  const make = new Maker(scene.api.as(token), scene.project);
  const [early, late] = [
    await make.ready({ starts_at: inHours(23) }),
    await make.ready({ starts_at: inHours(25) }),
  ];
  shiftClock(23.5);
  await runSchedules(scene.api);
  expect(await read(early)).toMatchObject({ status: 'running', schedule_error: null });
  shiftClock(2);
  await runSchedules(scene.api);
  expect(await read(late)).toMatchObject({
    status: 'draft',
    schedule_error: expect.stringContaining('was revoked or has expired'),
  });
});

it('only times that were set by the user without permission are refused', async () => {
  const experiment = await scene.make.ready({ ends_at: inHours(9) });
  await person.client.patch(experiment.path, { starts_at: inHours(1) });
  const other = await scene.make.ready();
  await person.client.patch(other.path, { starts_at: inHours(1), ends_at: inHours(9) });
  await schedule(other, { starts_at: inHours(2) });
  await scene.client.patch(member, { role: 'editor' });
  shiftClock(3);
  await runSchedules(scene.api);
  expect(await read(experiment)).toMatchObject({ status: 'draft', schedule_error: expect.any(String) });
  expect(await read(other)).toMatchObject({ status: 'running', schedule_error: null });
  shiftClock(7);
  await runSchedules(scene.api);
  expect(await read(experiment)).toMatchObject({ status: 'archive' });
  expect(await read(other)).toMatchObject({ status: 'running', schedule_error: expect.any(String) });
});

it("a user who sends back another user's times unchanged does not become responsible for them", async () => {
  const experiment = await new Maker(person.client, scene.project).ready({
    starts_at: inHours(1),
    ends_at: inHours(9),
  });
  const { body } = await scene.client.get(experiment.path);
  const { editor, publisher } = scene.world.people;
  const sent = await editor.client.put(experiment.path, { ...body, description: 'Clearer' });
  const later = await publisher.client.put(experiment.path, { ...sent.body, ends_at: inHours(19) });
  expect([sent.status, later.status]).toEqual([200, 200]);
  await scene.client.patch(`/teams/${scene.world.teamId}/members/${publisher.id}`, { role: 'editor' });
  shiftClock(2);
  await runSchedules(scene.api);
  expect(await read(experiment)).toMatchObject({ status: 'running', schedule_error: null });
  shiftClock(20);
  await runSchedules(scene.api);
  expect(await read(experiment)).toMatchObject({
    status: 'running',
    schedule_error: expect.stringContaining('The user who set it, Person'),
  });
  await scene.client.patch(`/teams/${scene.world.teamId}/members/${publisher.id}`, { role: 'publisher' });
});

it('nothing is refused if the user regained the permission', async () => {
  const experiment = await new Maker(person.client, scene.project).ready({ starts_at: inHours(1) });
  await scene.client.patch(member, { role: 'viewer' });
  await scene.client.patch(member, { role: 'admin' });
  shiftClock(2);
  await runSchedules(scene.api);
  expect(await read(experiment)).toMatchObject({ status: 'running', schedule_error: null });
});
