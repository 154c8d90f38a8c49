import { setImmediate, setTimeout } from 'node:timers/promises';
import type { TestApi } from '../support/api';
import type { Answer, Client } from '../support/client';
import { beforeEachRead } from '../support/interrupted-reads';
import { anotherProject, Made, Maker, useScene } from '../support/scene';

/*
 * Responses that need several SQL statements show one consistent state. Each round writes the same number to three
 * tables, one after another. In every state, no table is ahead of the previous one, and none is more than one round
 * behind.
 */

const scene = useScene();
const ROUNDS = 25;
/** How long a read is delayed, so that concurrent requests can wait for the same response. */
const JOIN_MS = 500;
let other: TestApi;

beforeAll(async () => {
  other = await scene.api.sibling();
});
afterAll(() => other.close());

interface Place {
  make: Maker;
  experiment: Made;
  goal: Made;
}

async function place(): Promise<Place> {
  const make = await anotherProject(scene);
  const goal = await make.goal({ name: 'Round 0' });
  const experiment = await make.ready({
    example_url: 'https://shop.example.com/0/',
    goals: [goal.id],
    variations: [{ name: 'Round 0' }, { name: 'Other' }],
  });
  return { make, experiment, goal };
}

/** Yields the writes in order. */
function* writes({ experiment, goal }: Place, client: Client): Generator<() => Promise<{ status: number }>> {
  const variation = `${experiment.path}/variations/${experiment.variations[0].id}`;
  for (let round = 1; ; round += 1) {
    yield () => client.patch(experiment.path, { example_url: `https://shop.example.com/${round}/` });
    yield () => client.patch(variation, { name: `Round ${round}` });
    yield () => client.patch(goal.path, { name: `Round ${round}` });
  }
}

/** The numbers in an experiment's response, in the order in which the rounds write them. */
function numbersIn({ example_url, variations, goals }: Made): number[] {
  const texts = [example_url, variations[0].name, goals[0].name] as string[];
  return texts.map((text) => Number(/\d+/.exec(text)?.[0]));
}

const isOneState = ([first, second, third]: number[]): boolean =>
  first >= second && second >= third && third >= first - 1;

const shownBy = (body: unknown): Made => (Array.isArray(body) ? (body as Made[])[0] : body) as Made;

const addressesOf = ({ experiment }: Place): string[] => [
  experiment.path,
  experiment.path.replace(/\/\d+$/, ''),
];

describe('a response', () => {
  it('shows one consistent state during writes, in the same process and in another one', async () => {
    const where = await place();
    const [here, there] = [scene.client, other.as(scene.world.people.admin.token)];
    const seen: number[][] = [];
    let isOver = false;
    const write = async (): Promise<void> => {
      const next = writes(where, there);
      for (let count = 0; count < 3 * ROUNDS; count += 1) {
        expect((await next.next().value()).status).toBe(200);
      }
      isOver = true;
    };
    const read = async (client: Client, address: string): Promise<void> => {
      while (!isOver) {
        seen.push(numbersIn(shownBy((await client.get(address)).body)));
        await setImmediate();
      }
    };
    const reading = addressesOf(where).flatMap((address) =>
      [here, here, there].map((client) => read(client, address)),
    );
    await Promise.all([write(), ...reading]);
    expect(seen.filter((numbers) => !isOneState(numbers))).toEqual([]);
    expect(new Set(seen.map(String)).size).toBeGreaterThan(3);
  });

  // With a single write before each statement, the statements could happen to see a consistent state.
  it.each([1, 2, 3, 4])('shows one consistent state with writes before each statement: %d', async (count) => {
    const where = await place();
    const next = writes(where, other.as(scene.world.people.admin.token));
    for (const address of addressesOf(where)) {
      const stop = beforeEachRead(scene.api, async () => {
        for (let write = 0; write < count; write += 1) {
          await next.next().value();
        }
      });
      const { status, body, headers } = await scene.client.get(address);
      stop();
      expect([status, isOneState(numbersIn(shownBy(body)))]).toEqual([200, true]);
      const again = await scene.client.get(address, { 'if-none-match': headers.etag! });
      expect([again.status, isOneState(numbersIn(shownBy(again.body)))]).toEqual([200, true]);
    }
  });

  it('is read from the database once for concurrent requests', async () => {
    const where = await place();
    for (const address of addressesOf(where)) {
      let readings = 0;
      const stop = beforeEachRead(scene.api, async (sql) => {
        const isOfVariations = / FROM variations/.test(sql);
        readings += Number(isOfVariations);
        await (isOfVariations ? setTimeout(JOIN_MS) : setImmediate());
      });
      const answers = await Promise.all(Array.from({ length: 8 }, () => scene.client.get(address)));
      stop();
      expect(readings).toBe(1);
      expect(new Set(answers.map(({ text, headers }) => `${headers.etag} ${text}`)).size).toBe(1);
    }
  });

  it('is read again if the first caller loses access', async () => {
    const where = await place();
    const person = await scene.api.person();
    await scene.api.join(scene.world.teamId, person, 'viewer');
    const [address] = addressesOf(where);
    const staying: Promise<Answer>[] = [];
    const stop = beforeEachRead(scene.api, async (sql) => {
      if (/ FROM variations/.test(sql) && staying.length === 0) {
        staying.push(scene.client.get(address), scene.client.get(address));
        await setTimeout(JOIN_MS);
        await scene.api.database.transaction(async (tx) => {
          await tx.query('DELETE FROM memberships WHERE user_id = ?', [person.id]);
        });
        await scene.client.patch(where.goal.path, { name: 'Renamed' });
      }
    });
    const gone = await person.client.get(address);
    const others = await Promise.all(staying);
    stop();
    expect([gone.status, ...others.map(({ status }) => status)]).toEqual([404, 200, 200]);
  });
});
