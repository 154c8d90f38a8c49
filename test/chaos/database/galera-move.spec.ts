import { randomUUID } from 'node:crypto';
import { DefinitionStore } from '../../../src/events/definitions.store';
import { EventLog, EventsMovingError } from '../../../src/events/event-log';
import { EventGates } from '../../../src/events/event-gates.store';
import { AdminCommand } from '../../support/admin';
import { TestApi } from '../../support/api';
import { describeWithClickHouse, TestClickHouse } from '../../support/clickhouse';
import { acknowledgedEvents } from '../../support/clickhouse-scene';
import { missingForGalera } from '../../support/galera';
import { ClusterExperiment, useGalera } from '../../support/galera-stage';
import { describeWith } from '../../support/mariadb';
import type { Made } from '../../support/scene';
import { Traffic } from '../../support/traffic';
import { signal } from '../../support/signal';
import { until } from '../../support/waiting';

/*
 * A Galera cluster replicates neither row locks nor read sets. The transaction that closes the event log on one node
 * must therefore conflict with every transaction that stores events on another node.
 */

const VISITORS = 900;

const get = <T>({ app }: TestApi, type: abstract new (...all: never[]) => T): T =>
  app.get<T>(type, { strict: false });

describeWith(missingForGalera)('events:move on one node of a cluster', () => {
  const stage = useGalera();

  describe('closes the log of another node', () => {
    let other: TestApi;
    let made: ClusterExperiment;

    beforeAll(async () => {
      other = await stage.apiOn(0);
      made = await stage.experiment();
    });
    // Creates the rows of all event gates, so that no conflict is caused by an insert.
    beforeEach(() => other.database.transaction((tx) => get(other, EventGates).close(tx)).then(reopen));
    afterEach(reopen);
    afterAll(() => other.close());

    function reopen(): Promise<void> {
      return other.database.transaction((tx) => get(other, EventGates).open(tx));
    }

    /** Stores an event on the third node. @param alongside runs in the same transaction, before it is committed */
    async function append(alongside: () => Promise<void>): Promise<void> {
      const { read } = stage.api.database;
      const { projectId, experiment } = made;
      const [{ version }]: { version: number }[] = await read.query(
        'SELECT version FROM project_versions WHERE project_id = ?',
        [projectId],
      );
      const definitions = await get(stage.api, DefinitionStore).load(read, projectId, version);
      const event = {
        visitor_id: randomUUID(),
        event_id: randomUUID(),
        occurred_at: Date.now() * 1_000,
        arrived_at: null,
        experiment_id: experiment.id,
        variation_id: (experiment.variations as Made[])[0].id,
        phase: null,
        goal_id: null,
        value: null,
        device: 0,
      };
      await get(stage.api, EventLog).append([{ definitions, events: [event] }], { alongside });
    }

    const stored = async (manager = other.database.read): Promise<number> => {
      const [{ count }]: { count: number | string }[] = await manager.query(
        'SELECT COUNT(*) AS count FROM events WHERE project_id = ?',
        [made.projectId],
      );
      return Number(count);
    };

    it('so that uncommitted events on that node are rejected', async () => {
      const before = await stored();
      const [held, released] = [signal(), signal()];
      const appending = append(() => {
        held.give();
        return released.given;
      }).then(
        () => 'stored',
        (error: unknown) => error,
      );
      await held.given;
      await other.database.transaction((tx) => get(other, EventGates).close(tx));
      released.give();
      expect(await appending).toBeInstanceOf(EventsMovingError);
      expect(await stored()).toBe(before);
    }, 60_000);

    it('only in a transaction that has read the events committed there earlier', async () => {
      await append(() => Promise.resolve());
      const before = await stored();
      const [closed, committed] = [signal(), signal()];
      const seen: number[] = [];
      const closing = other.database.transaction(async (tx) => {
        await get(other, EventGates).close(tx);
        seen.push(await stored(tx));
        closed.give();
        await committed.given;
      });
      await closed.given;
      await append(() => Promise.resolve());
      committed.give();
      await closing;
      expect([seen[0], seen.at(-1)]).toEqual([before, before + 1]);
      expect(await stored()).toBe(before + 1);
    }, 60_000);
  });

  describeWithClickHouse('while servers on two other nodes collect events', () => {
    let clickhouse: TestClickHouse;

    beforeAll(async () => {
      clickhouse = await TestClickHouse.start();
    });
    afterAll(() => clickhouse?.remove());

    it('loses no acknowledged event and counts each once', async () => {
      const { projectId, clientKey, experiment } = await stage.experiment();
      const size = { visitors: VISITORS, conversions: 5, batch: 10, senders: 6 };
      // On a fast machine, all visitors would be sent before the log is closed, so more are added until the first 503.
      const isOver = (): boolean => sent.statuses.has(503);
      const sent: Traffic = new Traffic(clientKey, experiment, { ...size, isOver });
      const addresses = stage.addresses();
      const sending = sent.send(addresses);
      await until(() => sent.acknowledged.length >= VISITORS, 'events');
      const admin = new AdminCommand(stage.urlOn(2), { EVENTS_URL: clickhouse.url });
      const moving = admin.run(['events:move']);
      await until(() => sent.statuses.has(503), 'a refused event');
      for (const place of [0, 1]) {
        await stage.restart(place, { EVENTS_URL: clickhouse.url });
        addresses[place] = stage.servers[place].address;
      }
      const { code, stderr } = await moving;
      admin.remove();
      expect([code, stderr]).toEqual([0, '']);
      await sending;
      expect([...sent.statuses.keys()].filter((status) => ![0, 200, 503].includes(status))).toEqual([]);

      const server = await stage.api.sibling({ EVENTS_URL: clickhouse.url });
      expect(await sent.counted(server, stage.world.people.admin.token)).toEqual(sent.expected());
      const rows = await acknowledgedEvents(server, clickhouse, projectId);
      expect(rows.map(({ event_id }) => event_id).sort()).toEqual([...sent.acknowledged].sort());
      await server.close();
    }, 240_000);
  });
});
