import type { Answer } from '../support/client';
import { behindAnotherWrite } from '../support/lock';
import { anotherProject, Made, Maker, useScene } from '../support/scene';

/* If-Match: clients do not overwrite each other's concurrent changes. */

const scene = useScene();

interface Target {
  path: string;
  /** The record whose ETag is compared. */
  record: string;
}

type Write = (target: Target, headers: Record<string, string>) => Promise<Answer>;

interface Kind {
  /** Creates a new target. */
  make: (make: Maker) => Promise<Target>;
  write: Write;
  /** Makes a concurrent change to the record. */
  change: (target: Target) => Promise<Answer>;
  expected: number;
}

const whole = ({ path }: Made): Target => ({ path, record: path });
const describeIt = ({ record }: Target): Promise<Answer> =>
  scene.client.patch(record, { description: `${Math.random()}` });

const put: Write = ({ path }, headers) => scene.client.put(path, { name: 'By PUT' }, headers);
const patch: Write = ({ path }, headers) => scene.client.patch(path, { name: 'By PATCH' }, headers);
const remove: Write = ({ path }, headers) => scene.client.delete(path, headers);

const MAKERS: Record<string, Kind['make']> = {
  audience: async (make) => whole(await make.audience()),
  page: async (make) => whole(await make.page()),
  goal: async (make) => whole(await make.goal()),
  experiment: async (make) => whole(await make.ready()),
  variation: async (make) =>
    whole(await make.variation(await make.experiment({ variations: [{ name: 'First' }] }))),
  project: async ({ project }) => ({ path: project, record: project }),
};

const KINDS: [what: string, kind: Kind][] = [
  ...Object.entries(MAKERS).flatMap(([name, make]): [string, Kind][] => [
    [`PUT of a ${name}`, { make, write: put, change: describeIt, expected: 200 }],
    [`PATCH of a ${name}`, { make, write: patch, change: describeIt, expected: 200 }],
    [`DELETE of a ${name}`, { make, write: remove, change: describeIt, expected: 204 }],
  ]),
  [
    'changing the status, with the ETag of the experiment',
    {
      make: async (make) => {
        const { path } = await make.ready();
        return { path: `${path}/status`, record: path };
      },
      write: ({ path }, headers) => scene.client.patch(path, { status: 'running' }, headers),
      change: describeIt,
      expected: 200,
    },
  ],
  [
    'rotating the preview links, with the ETag of the experiment',
    {
      make: async (make) => {
        const { path } = await make.ready();
        return { path: `${path}/previews/rotate`, record: path };
      },
      write: ({ path }, headers) => scene.client.post(path, undefined, headers),
      change: describeIt,
      expected: 200,
    },
  ],
  [
    'rotating the share link, with the ETag of the experiment',
    {
      make: async (make) => {
        const { path } = await make.ready();
        return { path: `${path}/results/share/rotate`, record: path };
      },
      write: ({ path }, headers) => scene.client.post(path, undefined, headers),
      change: describeIt,
      expected: 200,
    },
  ],
  [
    'cloning, with the ETag of the experiment',
    {
      make: async (make) => {
        const { path } = await make.ready();
        return { path: `${path}/clone`, record: path };
      },
      write: ({ path }, headers) => scene.client.post(path, undefined, headers),
      change: describeIt,
      expected: 201,
    },
  ],
];

const tagOf = async ({ record }: Target): Promise<string> => (await scene.client.get(record)).headers.etag!;

describe.each(KINDS)('%s', (_, { make, write, change, expected }) => {
  let target: Target;
  beforeEach(async () => {
    target = await make(await anotherProject(scene));
  });

  it('succeeds with the current ETag of the record', async () => {
    expect((await write(target, { 'if-match': await tagOf(target) })).status).toBe(expected);
  });

  it('succeeds with a list that contains the current ETag', async () => {
    expect((await write(target, { 'if-match': `"a", ${await tagOf(target)}, "b"` })).status).toBe(expected);
  });

  it('succeeds with *', async () => {
    expect((await write(target, { 'if-match': '*' })).status).toBe(expected);
  });

  it('returns 412 and changes nothing if the record has since changed', async () => {
    const tag = await tagOf(target);
    expect((await change(target)).status).toBe(200);
    const before = await scene.client.get(target.record);
    const answer = await write(target, { 'if-match': tag });
    expect([answer.status, answer.body]).toEqual([
      412,
      { message: 'Precondition Failed', code: 'PRECONDITION_FAILED' },
    ]);
    const after = await scene.client.get(target.record);
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag]);
  });

  it.each(['"a"', 'a', '', '"a", "b"'])('returns 412 with %j', async (tag) => {
    expect((await write(target, { 'if-match': tag })).status).toBe(412);
  });

  it('returns 412 with the ETag of another record', async () => {
    const other = await make(await anotherProject(scene));
    expect((await write(target, { 'if-match': await tagOf(other) })).status).toBe(412);
  });

  it('returns 404, not 412, if the record is gone', async () => {
    const tag = await tagOf(target);
    await scene.client.delete(target.record);
    expect((await write(target, { 'if-match': tag })).status).toBe(404);
  });
});

describe('successive ETags', () => {
  it('the ETag of a write is valid for the next write', async () => {
    const make = await anotherProject(scene);
    for (const { path } of [await make.goal(), await make.experiment(), await make.audience()]) {
      let tag = (await scene.client.get(path)).headers.etag!;
      const used = [tag];
      for (let round = 0; round < 5; round += 1) {
        const { status, headers } = await scene.client.put(
          path,
          { description: `${round}` },
          { 'if-match': tag },
        );
        expect(status).toBe(200);
        tag = headers.etag!;
        used.push(tag);
      }
      expect(new Set(used).size).toBe(6);
      for (const old of used.slice(0, -1)) {
        expect((await scene.client.put(path, { description: 'late' }, { 'if-match': old })).status).toBe(412);
      }
    }
  });

  it('the ETag in the response to a create request is also valid', async () => {
    const make = await anotherProject(scene);
    const { headers, body } = await scene.client.post(`${make.project}/pages`, { name: 'Page' });
    const path = `${make.project}/pages/${body.id}`;
    expect((await scene.client.delete(path, { 'if-match': headers.etag! })).status).toBe(204);
  });

  it('the ETag of selected fields of an experiment is the ETag of the experiment', async () => {
    const experiment = await scene.make.experiment();
    const { headers } = await scene.client.get(`${experiment.path}?fields=name`);
    expect(
      (await scene.client.put(experiment.path, { name: 'New' }, { 'if-match': headers.etag! })).status,
    ).toBe(200);
  });

  it('a change to a variation changes the ETag of the experiment, but not of its other variations', async () => {
    const experiment = await scene.make.ready();
    const [first, second] = experiment.variations as { id: number }[];
    const pathOf = ({ id }: { id: number }) => `${experiment.path}/variations/${id}`;
    const tag = (await scene.client.get(experiment.path)).headers.etag!;
    const tagOfSecond = (await scene.client.get(pathOf(second))).headers.etag!;
    await scene.client.put(pathOf(first), { name: 'New' });
    const move = await scene.client.patch(
      `${experiment.path}/status`,
      { status: 'running' },
      { 'if-match': tag },
    );
    const other = await scene.client.put(pathOf(second), { name: 'New' }, { 'if-match': tagOfSecond });
    expect([move.status, other.status]).toEqual([412, 200]);
  });
});

describe('concurrent writers with the same ETag', () => {
  const race = async (write: Kind['write'], target: Target, writers: number): Promise<number[]> => {
    const tag = await tagOf(target);
    const answers = await Promise.all(
      Array.from({ length: writers }, () => write(target, { 'if-match': tag })),
    );
    return answers.map(({ status }) => status).sort();
  };
  const changeDescription: Write = ({ path }, headers) =>
    scene.client.put(path, { description: `${Math.random()}` }, headers);

  it.each(Object.entries(MAKERS))('exactly one of two succeeds, 20 times: %s', async (_, make) => {
    const target = await make(await anotherProject(scene));
    for (let round = 0; round < 20; round += 1) {
      expect(await race(changeDescription, target, 2)).toEqual([200, 412]);
    }
  });

  it.each(Object.entries(MAKERS))(
    'exactly one of two succeeds if both wait for a third transaction: %s',
    async (_, make) => {
      const projectId = await scene.api.project(scene.world.teamId);
      const target = await make(new Maker(scene.client, `/projects/${projectId}`));
      const statuses = await behindAnotherWrite(
        scene.api,
        projectId,
        () => Promise.resolve(),
        () => race(changeDescription, target, 2),
      );
      expect(statuses).toEqual([200, 412]);
    },
  );

  it('exactly one of ten succeeds', async () => {
    const target = whole(await scene.make.goal());
    expect(await race(changeDescription, target, 10)).toEqual([200, ...Array.from({ length: 9 }, () => 412)]);
  });

  it('exactly one of two writers in different processes succeeds', async () => {
    const other = await scene.api.sibling();
    const there = other.as(scene.world.people.admin.token);
    const { path } = await scene.make.experiment();
    for (let round = 0; round < 20; round += 1) {
      const headers = { 'if-match': (await there.get(path)).headers.etag! };
      const answers = await Promise.all(
        [scene.client, there].map((client, index) =>
          client.put(path, { description: `${round} ${index}` }, headers),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      const winner = answers.find(({ status }) => status === 200)!;
      expect((await scene.client.get(path)).body).toEqual(winner.body);
    }
    await other.close();
  });

  it('a clone is a copy of exactly the version that the ETag identifies', async () => {
    const { path } = await scene.make.ready({ description: 'before' });
    for (let round = 0; round < 20; round += 1) {
      const { headers, body } = await scene.client.get(path);
      const [cloned] = await Promise.all([
        scene.client.post(`${path}/clone`, {}, { 'if-match': headers.etag! }),
        scene.client.put(path, { description: `${round}` }),
      ]);
      const { description } = cloned.status === 201 ? cloned.body : body;
      expect([[201, 412].includes(cloned.status), description]).toEqual([true, body.description]);
    }
  });

  it('a deletion and an update cannot both succeed', async () => {
    for (let round = 0; round < 20; round += 1) {
      const target = whole(await scene.make.goal());
      const headers = { 'if-match': await tagOf(target) };
      const [updated, removed] = await Promise.all([
        changeDescription(target, headers),
        remove(target, headers),
      ]);
      expect([
        [200, 412],
        [404, 204],
        [412, 204],
      ]).toContainEqual([updated.status, removed.status]);
    }
  });
});
