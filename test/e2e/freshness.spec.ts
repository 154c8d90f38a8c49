import { setImmediate } from 'node:timers/promises';
import { EnvironmentsService } from '../../src/resources/environments/environments.service';
import { ProjectsService } from '../../src/projects/projects.service';
import { TeamsService } from '../../src/teams/teams.service';
import { TrashService } from '../../src/projects/trash/trash.service';
import { TestApi } from '../support/api';
import type { Answer, Client } from '../support/client';
import { beforeEachRead } from '../support/interrupted-reads';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { setStage, Stage } from '../support/stage';

/* Two processes on one database: writes acknowledged by one are immediately visible in the other. */

const scene = useScene();
let other: TestApi;
let here: Client;
let there: Client;

beforeAll(async () => {
  other = await scene.api.sibling();
  here = scene.client;
  there = other.as(scene.world.people.admin.token);
});
afterAll(() => other.close());

const ROUNDS = 100;
const WRITES = 40;

/** Reads a URL with the last known ETag, like a client with a cache. */
class Reader {
  private tag: string | undefined;
  private known: Answer | undefined;

  constructor(
    private readonly client: Client,
    private readonly address: string,
  ) {}

  async read(): Promise<Answer> {
    const headers: Record<string, string> = this.tag === undefined ? {} : { 'if-none-match': this.tag };
    const answer = await this.client.get(this.address, headers);
    if (answer.status === 304) {
      expect(answer.headers.etag).toBe(this.tag);
      return this.known!;
    }
    this.tag = answer.headers.etag;
    this.known = answer;
    return answer;
  }
}

describe('a write acknowledged by one process', () => {
  const find = (body: unknown, id: number) => (body as Made[]).find((entry) => entry.id === id);

  it.each(['goal', 'experiment', 'variation'] as const)('is visible in both processes: %s', async (kind) => {
    const stage = await setStage(scene);
    const target = stage[kind];
    const list = target.path.replace(/\/\d+$/, '');
    const readers = [here, there].map(
      (client) => [new Reader(client, target.path), new Reader(client, list)] as const,
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      const [writer, description] = [round % 2 === 0 ? here : there, `Round ${round}`];
      const written = await writer.put(target.path, { description });
      for (const [record, entries] of readers) {
        const shown = await record.read();
        expect([shown.text, shown.headers.etag]).toEqual([written.text, written.headers.etag]);
        expect(find((await entries.read()).body, target.id)).toEqual(written.body);
        expect(await record.read()).toBe(shown);
      }
    }
  });

  it('has the same ETag in both processes, so clients can use it with either', async () => {
    const { goal } = await setStage(scene);
    let tag = (await here.get(goal.path)).headers.etag!;
    for (let round = 0; round < 20; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [here, there] : [there, here];
      const written = await writer.put(goal.path, { description: `${round}` }, { 'if-match': tag });
      tag = written.headers.etag!;
      expect([written.status, (await reader.get(goal.path, { 'if-none-match': tag })).status]).toEqual([
        200, 304,
      ]);
    }
  });

  it('is visible in other records that contain the changed record', async () => {
    const stage = await setStage(scene);
    const experiment = new Reader(there, stage.experiment.path);
    const list = new Reader(there, `${stage.make.project}/experiments`);
    const variation = new Reader(there, stage.variation.path);
    for (let round = 0; round < ROUNDS; round += 1) {
      await here.patch(stage.audience.path, { name: `Audience ${round}` });
      await here.patch(stage.experiment.path, { example_url: `https://shop.example.com/${round}` });
      const { body } = await experiment.read();
      expect((body as Made).audiences).toEqual([{ id: stage.audience.id, name: `Audience ${round}` }]);
      expect(((await list.read()).body as Made[])[0]).toEqual(body);
      expect(((await variation.read()).body as Made).preview_url).toContain(
        `https://shop.example.com/${round}?`,
      );
    }
  });

  it('is visible in lists after status changes, clones and deletions', async () => {
    const make = await anotherProject(scene);
    const list = new Reader(there, `${make.project}/experiments?fields=id,status`);
    const shown = async () => ((await list.read()).body as Made[]).map(({ status }) => status as string);
    const experiment = await make.ready();
    expect(await shown()).toEqual(['draft']);
    await make.move(experiment, 'running');
    expect(await shown()).toEqual(['running']);
    const { body: clone } = await here.post(`${experiment.path}/clone`);
    expect(await shown()).toEqual(['running', 'draft']);
    await here.delete(experiment.path);
    expect(await shown()).toEqual(['draft']);
    await here.delete(`${make.project}/experiments/${clone.id}`);
    expect(await shown()).toEqual([]);
  });
});

describe('a write of the admin command', () => {
  const service = <T>(type: new (...values: never[]) => T): T => other.app.get(type, { strict: false });
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage(scene);
  });

  it('to an environment is immediately visible, even in experiments that use the environment', async () => {
    const record = new Reader(here, stage.environment.path);
    const experiment = new Reader(here, stage.experiment.path);
    let name = 'Production';
    for (let round = 0; round < 20; round += 1) {
      const next = `Environment ${round}`;
      await service(EnvironmentsService).update(stage.projectId, name, { name: next }, 'admin');
      name = next;
      expect(((await record.read()).body as Made).name).toBe(name);
      expect(((await experiment.read()).body as Made).environments).toEqual([
        { id: stage.environment.id, name },
      ]);
    }
  });

  it('to a project is immediately visible', async () => {
    const [project, list] = [
      new Reader(here, stage.make.project),
      new Reader(here, `/teams/${stage.teamId}/projects`),
    ];
    for (const statistics_method of ['bayesian', 'frequentist', 'sequential'] as const) {
      await service(ProjectsService).setMethod(stage.projectId, { statistics_method }, 'admin');
      const { body } = await project.read();
      expect(body).toMatchObject({ statistics_method });
      expect((await list.read()).body).toContainEqual(body);
    }
  });

  it('that restores a record from the trash is immediately visible', async () => {
    const list = new Reader(here, `${stage.make.project}/experiments`);
    const key = { type: 'experiment', id: stage.otherExperiment.id } as const;
    const ids = async () => ((await list.read()).body as Made[]).map(({ id }) => id);
    expect(await ids()).toEqual([stage.experiment.id, key.id]);
    await there.delete(stage.otherExperiment.path);
    expect(await ids()).toEqual([stage.experiment.id]);
    expect(await service(TrashService).restore(key, 'admin')).toBeNull();
    expect(await ids()).toEqual([stage.experiment.id, key.id]);
  });

  it('to a membership takes effect immediately', async () => {
    const teams = service(TeamsService);
    const person = await scene.api.person();
    const list = new Reader(person.client, '/teams');
    const project = new Reader(person.client, stage.make.project);
    const names = async () => ((await list.read()).body as Made[]).length;
    const outcomes: unknown[] = [];
    const note = async () => {
      const written = await person.client.post(`${stage.make.project}/goals`, { name: 'Goal' });
      outcomes.push([await names(), (await project.read()).status, written.status]);
    };
    await note();
    await teams.addMember(stage.teamId, person.id, 'editor', 'admin');
    await note();
    await teams.setRole(stage.teamId, person.id, 'viewer', 'admin');
    await note();
    await teams.removeMember(stage.teamId, person.id, 'admin');
    await note();
    expect(outcomes).toEqual([
      [0, 404, 404],
      [1, 200, 201],
      [1, 200, 403],
      [0, 404, 404],
    ]);
  });
});

describe('concurrent readers and writers', () => {
  interface Sight {
    address: string;
    tag: string;
    text: string;
  }

  /** In one process, increments a number that all responses contain, while clients read from both processes. */
  async function watch(make: Maker, experiment: Made): Promise<Sight[]> {
    const variation = `${experiment.path}/variations/${experiment.variations[0].id}`;
    const addresses = [
      experiment.path,
      `${make.project}/experiments`,
      `${experiment.path}/variations`,
      variation,
    ];
    const sights: Sight[] = [];
    let [acknowledged, isOver] = [0, false];
    const write = async () => {
      for (let number = 1; number <= WRITES; number += 1) {
        const example_url = `https://shop.example.com/${number}/`;
        expect((await here.patch(experiment.path, { example_url })).status).toBe(200);
        acknowledged = number;
      }
      isOver = true;
    };
    const read = async (client: Client, address: string) => {
      while (!isOver) {
        const least = acknowledged;
        const { text, headers } = await client.get(address);
        const [, seen] = /example\.com\/(\d+)\//.exec(text) ?? [];
        expect(Number(seen ?? 0)).toBeGreaterThanOrEqual(least);
        sights.push({ address, tag: headers.etag!, text });
        // Yields to other requests, as network requests would.
        await setImmediate();
      }
    };
    const reading = addresses.flatMap((address) => [read(here, address), read(there, address)]);
    await Promise.all([write(), ...reading]);
    return sights;
  }

  it('see all acknowledged writes, and an ETag never identifies two different responses', async () => {
    const make = await anotherProject(scene);
    const experiment = await make.ready({ example_url: 'https://shop.example.com/0/' });
    const sights = await watch(make, experiment);
    const texts = new Map<string, Set<string>>();
    for (const { address, tag, text } of sights) {
      const key = `${address} ${tag}`;
      texts.set(key, (texts.get(key) ?? new Set()).add(text));
    }
    expect([...texts].filter(([, { size }]) => size > 1)).toEqual([]);
    expect(texts.size).toBeGreaterThan(20);
  });
});

describe('a write during a read', () => {
  let turn = 0;

  /** Writes before each read of variations, up to `writes` times. By then, the ids in the path have been looked up. */
  function writeBeforeReading(experiment: Made, writes: number): () => void {
    let written = 0;
    turn += 1;
    return beforeEachRead(scene.api, async (sql) => {
      if (/name_key.* FROM variations/.test(sql) && written < writes) {
        written += 1;
        const example_url = `https://shop.example.com/write-${written}/${turn}`;
        await there.patch(experiment.path, { example_url });
      }
    });
  }

  const pathsOf = ({ path, variations }: Made): [string, string][] => [
    ['the experiment', path],
    ['the list of experiments', path.replace(/\/\d+$/, '')],
    ['its variations', `${path}/variations`],
    ['a variation', `${path}/variations/${variations[0].id}`],
  ];

  it('is in the response, or the response is not cached', async () => {
    for (const index of pathsOf({ path: '', variations: [{ id: 0 }] } as unknown as Made).keys()) {
      const make = await anotherProject(scene);
      const experiment = await make.ready({ example_url: 'https://shop.example.com/before/' });
      const [what, address] = pathsOf(experiment)[index];
      const stop = writeBeforeReading(experiment, 1);
      const during = await here.get(address);
      stop();
      const after = await here.get(address);
      expect([what, after.text]).toEqual([what, (await there.get(address)).text]);
      expect(after.text).toContain('write-1');
      expect([what, during.headers.etag === after.headers.etag]).toEqual([what, during.text === after.text]);
    }
  });

  it('on every attempt still yields a consistent response with a matching ETag', async () => {
    const make = await anotherProject(scene);
    const experiment = await make.ready({ example_url: 'https://shop.example.com/before/' });
    for (const [what, address] of pathsOf(experiment)) {
      const stop = writeBeforeReading(experiment, 1_000);
      const { status, headers } = await here.get(address);
      stop();
      const again = await here.get(address, { 'if-none-match': headers.etag! });
      expect([what, status, again.status]).toEqual([what, 200, 200]);
      expect(again.text).toBe((await there.get(address)).text);
    }
  });
});
