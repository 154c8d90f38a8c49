import { anotherProject, astral, errorsOf, Made, refusedPaths, TIMESTAMP, useScene } from '../support/scene';

/* The hypothesis and the decision of an experiment. */

const scene = useScene();

const LONG = astral(10_000);

interface Row {
  action: string;
  before: string | null;
  after: string | null;
}

let made: Made;
let ids: number[];

beforeEach(async () => {
  made = await scene.make.ready();
  ids = made.variations.map(({ id }: Made) => id);
});

const patch = (fields: object, experiment = made) => scene.client.patch(experiment.path, fields);
const shown = async (experiment = made) => (await scene.client.get(experiment.path)).body;
const decide = async (decision: object, experiment = made) => {
  const answer = await patch({ decision }, experiment);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return answer.body.decision;
};

describe('the hypothesis of an experiment', () => {
  it.each([
    ['a text with line breaks and blanks', '  Green stands out.\n\nSo more visitors buy.  '],
    ['10,000 characters outside the Basic Multilingual Plane', LONG],
    ['an empty text', ''],
    ['null', null],
  ])('can be %s', async (_, hypothesis) => {
    expect((await patch({ hypothesis })).body.hypothesis).toBe(hypothesis);
    expect((await shown()).hypothesis).toBe(hypothesis);
    expect((await scene.make.experiment({ hypothesis })).hypothesis).toBe(hypothesis);
  });

  it.each([
    ['more than 10,000 characters', `${LONG}a`],
    ['a number', 7],
    ['a NUL', 'a\u0000b'],
    ['an unpaired surrogate', '\ud800'],
  ])('cannot be %s', async (_, hypothesis) => {
    expect(refusedPaths(await patch({ hypothesis }))).toEqual(['hypothesis']);
    expect((await shown()).hypothesis).toBeNull();
  });
});

describe('the decision of an experiment', () => {
  it('has a time and a user, and is included in every response', async () => {
    const { people } = scene.world;
    const sent = { outcome: 'ship', variation_id: ids[1], note: 'Green **wins**.' };
    const answer = await people.editor.client.patch(made.path, { decision: sent });
    const decision = {
      ...sent,
      decided_at: expect.stringMatching(TIMESTAMP),
      decided_by: { id: people.editor.id, name: expect.stringMatching(/^Person \d+$/) },
    };
    expect([answer.status, answer.body.decision]).toEqual([200, decision]);
    expect(answer.body.decision.decided_at).toBe(answer.body.updated_at);
    expect(await shown()).toEqual(answer.body);
    expect((await scene.client.get(`${made.path}?fields=decision`)).body).toEqual({ decision });
    expect((await scene.client.get(`${scene.project}/experiments?fields=id,decision`)).body).toContainEqual({
      id: made.id,
      decision,
    });
  });

  it.each(['ship', 'revert', 'inconclusive', 'invalid'])('can be %s', async (outcome) => {
    expect(await decide({ outcome, variation_id: ids[0], note: LONG })).toMatchObject({
      outcome,
      variation_id: ids[0],
      note: LONG,
    });
  });

  it.each(['revert', 'inconclusive', 'invalid'])('needs no variation and no note for %s', async (outcome) => {
    expect(await decide({ outcome })).toMatchObject({ outcome, variation_id: null, note: null });
  });

  it('is replaced as a whole, and removed with null', async () => {
    await decide({ outcome: 'ship', variation_id: ids[1], note: 'Too early' });
    expect(await decide({ outcome: 'revert' })).toMatchObject({
      outcome: 'revert',
      variation_id: null,
      note: null,
    });
    expect((await patch({ decision: null })).body.decision).toBeNull();
  });

  it.each<[string, unknown, string[]]>([
    ['a text', 'ship', ['decision']],
    ['a list', [], ['decision']],
    ['an object without an outcome', {}, ['decision.outcome']],
    ['a null outcome', { outcome: null }, ['decision.outcome']],
    ['an unknown outcome', { outcome: 'win' }, ['decision.outcome']],
    ['ship without a variation', { outcome: 'ship' }, ['decision.variation_id']],
    ['ship with a null variation', { outcome: 'ship', variation_id: null }, ['decision.variation_id']],
    [
      'ship with a fraction as the variation',
      { outcome: 'ship', variation_id: 1.5 },
      ['decision.variation_id'],
    ],
    [
      'revert with a string as the variation',
      { outcome: 'revert', variation_id: '1' },
      ['decision.variation_id'],
    ],
    ['an unknown variation', { outcome: 'revert', variation_id: 2_000_000_000 }, ['decision.variation_id']],
    ['a note that is too long', { outcome: 'revert', note: `${LONG}a` }, ['decision.note']],
    ['a note with a NUL', { outcome: 'revert', note: '\u0000' }, ['decision.note']],
    ['an object with an unknown field', { outcome: 'revert', nte: 'x' }, ['decision.nte']],
    ['an object with a __proto__ field', '{"outcome":"revert","__proto__":{}}', ['decision.__proto__']],
    [
      'an object with several errors',
      { outcome: 1, note: 2, a: 3 },
      ['decision.a', 'decision.note', 'decision.outcome'],
    ],
    ['a time', { outcome: 'revert', decided_at: '2026-05-01T09:30:00.123000Z' }, ['decision.decided_at']],
    ['a user', { outcome: 'revert', decided_by: { id: 1, name: 'Person 1' } }, ['decision.decided_by']],
  ])('cannot be %s', async (_, decision, paths) => {
    const body = typeof decision === 'string' && decision.startsWith('{') ? decision : null;
    const sent = body === null ? { decision, name: 'New' } : `{"decision":${body},"name":"New"}`;
    expect(refusedPaths(await scene.client.patch(made.path, sent))).toEqual(paths);
    expect(await shown()).toMatchObject({ decision: null, name: 'Experiment' });
  });

  it("suggests a known field for a typo, and lists the experiment's variations", async () => {
    const typo = errorsOf(await patch({ decision: { outcome: 'revert', variaton_id: 1 } }));
    expect(typo['decision.variaton_id'][0]).toContain('Did you mean variation_id?');
    const other = await scene.make.ready();
    const foreign = errorsOf(
      await patch({ decision: { outcome: 'ship', variation_id: other.variations[0].id } }),
    );
    expect(foreign['decision.variation_id'][0]).toContain(ids.join(', '));
  });

  it('is null for a new experiment, and cannot be sent with one', async () => {
    const collection = `${scene.project}/experiments`;
    const decision = { outcome: 'invalid' };
    expect(errorsOf(await scene.client.post(collection, { name: 'New', decision }))).toEqual({
      decision: ['The decision field cannot be set on creation. Change it afterwards.'],
    });
    const created = await scene.client.post(collection, { name: 'New', decision: null });
    expect([created.status, created.body.decision]).toEqual([201, null]);
  });

  it('keeps its time and user if it is sent back unchanged', async () => {
    await decide({ outcome: 'ship', variation_id: ids[1], note: 'n' });
    const before = await scene.client.get(made.path);
    const { outcome, variation_id, note } = before.body.decision;
    for (const body of [before.body, { decision: { note, outcome, variation_id } }]) {
      const answer = await scene.world.people.publisher.client.put(made.path, body);
      expect([answer.status, answer.body, answer.headers.etag]).toEqual([
        200,
        before.body,
        before.headers.etag,
      ]);
    }
  });

  it('gets a new time and user if part of it is changed', async () => {
    await decide({ outcome: 'inconclusive' });
    const { body } = await scene.client.get(made.path);
    const decision = { ...body.decision, note: 'Rerun in spring' };
    const { publisher } = scene.world.people;
    const answer = await publisher.client.put(made.path, { ...body, decision });
    expect(answer.body.decision).toMatchObject({ note: 'Rerun in spring', decided_by: { id: publisher.id } });
    expect(answer.body.decision.decided_at > body.decision.decided_at).toBe(true);
  });

  it('is stored neither by a dry run nor after a failed precondition', async () => {
    const decision = { outcome: 'invalid' };
    const before = await scene.client.get(made.path);
    const dry = await scene.client.patch(`${made.path}?dry_run=1`, { decision });
    expect([dry.status, dry.body.decision]).toMatchObject([200, decision]);
    await patch({ name: 'Meanwhile' });
    const headers = { 'if-match': before.headers.etag as string };
    expect((await scene.client.patch(made.path, { decision }, headers)).status).toBe(412);
    expect((await shown()).decision).toBeNull();
  });

  it('is in the audit log, with the previous and the new value', async () => {
    const first = await decide({ outcome: 'inconclusive' });
    const second = await decide({ outcome: 'revert', note: 'n' });
    const rows: Row[] = await scene.api.database.read.query(
      "SELECT action, `before`, `after` FROM audit_entries WHERE item_type = 'experiment' AND item_id = ? ORDER BY id",
      [made.id],
    );
    const changes = rows
      .filter(({ action }) => action === 'update')
      .map(({ before, after }) => [before, after].map((json) => JSON.parse(json ?? 'null') as unknown));
    expect(changes).toEqual([
      [{ decision: null }, { decision: first }],
      [{ decision: first }, { decision: second }],
    ]);
  });

  it('is not copied into a clone, unlike the hypothesis', async () => {
    await patch({ hypothesis: 'Green sells.', decision: { outcome: 'ship', variation_id: ids[0] } });
    const clone = await scene.client.post(`${made.path}/clone`);
    expect(clone.body).toMatchObject({ hypothesis: 'Green sells.', decision: null });
  });

  it('protects its variation, which cannot be deleted before the decision is changed', async () => {
    await decide({ outcome: 'ship', variation_id: ids[1] });
    const path = `${made.path}/variations/${ids[1]}`;
    expect(refusedPaths(await scene.client.delete(path))).toEqual(['decision']);
    await decide({ outcome: 'revert', variation_id: ids[0] });
    expect((await scene.client.delete(path)).status).toBe(204);
  });
});

describe('an archived experiment', () => {
  let archived: Made;

  beforeEach(async () => {
    archived = await scene.make.move(made, 'archive');
  });

  it('accepts a hypothesis and a decision, alone or in the full record', async () => {
    const fields = { hypothesis: 'It was red.', decision: { outcome: 'ship', variation_id: ids[1] } };
    expect((await patch(fields)).body).toMatchObject({ status: 'archive', ...fields });
    const body = await shown();
    const answer = await scene.client.put(archived.path, { ...body, hypothesis: null });
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...body, hypothesis: null, updated_at: expect.any(String) },
    ]);
    const again = await scene.client.put(archived.path, answer.body);
    expect([again.status, again.body]).toEqual([200, answer.body]);
  });

  it.each([
    ['another field', { name: 'Renamed' }],
    [
      'another field along with the hypothesis and decision',
      { hypothesis: 'x', decision: { outcome: 'revert' }, name: 'Renamed' },
    ],
    ['attachments along with the hypothesis', { hypothesis: 'x', goals: [] }],
    ['no fields', {}],
  ])('rejects a change with %s', async (_, fields) => {
    const before = await shown();
    const errors = errorsOf(await patch(fields));
    expect(errors.status[0]).toContain('Only these fields can change: hypothesis, decision, shared');
    expect(await shown()).toEqual(before);
  });
});

it('a hypothesis or decision requires permission to edit the experiment, and membership in its team', async () => {
  const { people, outsider } = scene.world;
  const body = { hypothesis: 'x', decision: { outcome: 'invalid' } };
  expect((await people.viewer.client.patch(made.path, body)).status).toBe(403);
  expect((await outsider.client.patch(made.path, body)).status).toBe(404);
  const { path } = await (await anotherProject(scene)).experiment();
  expect((await people.editor.client.patch(path, body)).status).toBe(200);
});
