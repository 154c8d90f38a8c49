import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startEventMove } from '../../src/admin/event-move';
import { entities } from '../../src/entities';
import { RebuildService } from '../../src/events/rebuild.service';
import { AdminAnswer, AdminCommand } from './admin';
import { TestApi, testConfig } from './api';
import { TestClickHouse } from './clickhouse';
import { createTestDatabase, TestDatabase } from './engine';
import { attributeAll, conversion, exposure, send, shownCells } from './events';
import { identify } from './linked-visitors';
import { Made, Maker } from './scene';
import { contentsOf } from './template';

const PRELOAD = join(__dirname, 'killed-move.cjs');

/** A server whose events are in the main database. */
export interface Installation {
  api: TestApi;
  key: string;
  experiment: Made;
}

interface Filled extends Installation {
  /** The expected cells if the events stay in the main database. */
  cells: string[];
}

/** The state in which each installation begins. */
type Origin = Omit<Filled, 'api'> & { contents: Buffer | string };

/** Creates installations, moves their events to ClickHouse, and closes everything that was opened for them. */
export class MoveStage {
  private readonly opened: { close?(): Promise<void>; remove?(): unknown }[] = [];

  private constructor(readonly clickhouse: TestClickHouse) {}

  static async start(): Promise<MoveStage> {
    return new MoveStage(await TestClickHouse.start());
  }

  async end(): Promise<void> {
    for (const each of this.opened.reverse()) {
      await (each.close?.() ?? each.remove?.());
    }
    await this.clickhouse.remove();
  }

  /** Registers something to be closed or removed when the stage ends. */
  opens<T extends { close?(): Promise<void>; remove?(): unknown }>(what: T): T {
    this.opened.push(what);
    return what;
  }

  /** Creates an installation. Most of its events are attributed; some events, links and duplicates are not. */
  async install(): Promise<Filled> {
    origin ??= prepared();
    const { contents, ...made } = await origin;
    return { ...made, api: await this.started(await createTestDatabase(contents)) };
  }

  admin(databaseUrl: string, environment: Record<string, string> = {}): AdminCommand {
    return this.opens(new AdminCommand(databaseUrl, { EVENTS_URL: this.clickhouse.url, ...environment }));
  }

  move({ api }: Installation, ...args: string[]): Promise<AdminAnswer> {
    return this.admin(api.databaseUrl).run(['events:move', ...args]);
  }

  /** Runs a move that is killed at a method call; see killed-move.cjs. */
  killed({ api }: Installation, call: string, time: number, when: 'before' | 'after'): Promise<AdminAnswer> {
    return this.admin(api.databaseUrl, {
      NODE_OPTIONS: `--require ${PRELOAD}`,
      KILL_CALL: call,
      KILL_TIME: String(time),
      KILL_WHEN: when,
    }).runAlone(['events:move']);
  }

  /** Runs a move in this process, which is faster. @param check awaits the move */
  async inThisProcess(
    { api }: Installation,
    check: (move: Promise<unknown>) => Promise<void>,
    copied: () => void = jest.fn(),
  ): Promise<void> {
    const config = testConfig({ DATABASE_URL: api.databaseUrl, EVENTS_URL: this.clickhouse.url });
    const { service, close } = await startEventMove(config, entities);
    const [compared, counted] = [jest.fn(), jest.fn()];
    await check(service.move({ skipResults: false }, { copied, compared, counted }));
    await close();
  }

  /** Aborts a move after its first part, as if it were killed. */
  interrupted(installation: Installation): Promise<void> {
    const copied = (): never => {
      throw new Error('interrupted');
    };
    return this.inThisProcess(installation, (move) => expect(move).rejects.toThrow('interrupted'), copied);
  }

  async onClickHouse({ api }: Installation): Promise<TestApi> {
    return this.opens(await api.sibling({ EVENTS_URL: this.clickhouse.url }));
  }

  /** Computes the cells that result if the events stay in the main database. */
  async expectedCells({ api }: Installation): Promise<string[]> {
    const twin = await this.started(await createTestDatabase(await contentsOf(api.databaseUrl)));
    await attributeAll(twin);
    return shownCells(twin);
  }

  async started(store: TestDatabase): Promise<TestApi> {
    return this.opens(await TestApi.start({}, undefined, () => Promise.resolve(store)));
  }
}

/** The state in which each installation begins. It is created once per test file. */
let origin: Promise<Origin> | undefined;

async function prepared(): Promise<Origin> {
  const api = await TestApi.start();
  const { people, project } = await api.world();
  const make = new Maker(people.admin.client, project);
  const goal = await make.goal({ name: 'Sale', value_type: 'revenue', value_cap: 50 });
  const experiment = await make.withStatus('running', { goals: [goal.id] });
  const { client_key: key } = (await people.admin.client.get(project)).body as Made;
  await collect({ api, key, experiment });
  const contents = await contentsOf(api.databaseUrl);
  await attributeAll(api);
  const cells = await shownCells(api);
  await api.close();
  return { contents, key, experiment, cells };
}

async function collect(site: Installation): Promise<void> {
  const early = visit(site, 30);
  await accept(site, early);
  await attributeAll(site.api);
  const [first, second] = early as { anonymousId: string }[];
  await accept(site, [
    ...visit(site, 5),
    conversion(first.anonymousId, 'sale', 77),
    identify(first.anonymousId, 'user-1'),
    conversion('user-1', 'sale', 3),
    second,
  ]);
}

export const visit = ({ experiment }: Pick<Installation, 'experiment'>, visitors: number): object[] =>
  Array.from({ length: visitors }, (_, index) => {
    const visitor = randomUUID();
    const variation = (experiment.variations as Made[])[index % 2];
    return [exposure(visitor, experiment.id, variation.id), conversion(visitor, 'sale', index)];
  }).flat();

/** @param api another server on the same database; by default the server of the installation */
export async function accept(
  installation: Installation,
  messages: object[],
  api = installation.api,
): Promise<void> {
  const answer = await send(api, installation.key, messages);
  expect(answer.body).toMatchObject({ accepted: messages.length, rejected: 0 });
}

/** Asserts that the cells equal `cells`, before and after a rebuild. */
export async function expectCells(api: TestApi, cells: string[]): Promise<void> {
  await attributeAll(api);
  expect(await shownCells(api)).toEqual(cells);
  await api.app.get(RebuildService, { strict: false }).rebuild({});
  expect(await shownCells(api)).toEqual(cells);
}
