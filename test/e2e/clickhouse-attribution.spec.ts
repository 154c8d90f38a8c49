import { ClickHouseClient, createClient } from '@clickhouse/client';
import fc from 'fast-check';
import { groupBy } from '../../src/common/lists/collections';
import { CellChanges } from '../../src/events/cell-changes';
import {
  CellRow,
  cellsQuery,
  ScopedLink,
  seenQuery,
  SeenRow,
} from '../../src/events/clickhouse/attribution-query.store';
import { cellOf } from '../../src/events/clickhouse/cells';
import { toEventLogRow } from '../../src/events/clickhouse/event-rows';
import { createEvents } from '../../src/events/clickhouse/table.store';
import type { CountingRules } from '../../src/events/counting-rules';
import { ExclusionRow, Exclusions } from '../../src/events/exclusions/excluded';
import { LinkedIds, participationsOf } from '../../src/events/links/linked-ids';
import { seenIn, widened } from '../../src/events/visitor-changes';
import { asText } from '../support/attributed';
import { AnyEvent, AnyLink, visitorsByHand, withoutRepeats } from '../support/brute-force';
import { describeWithClickHouse, TestClickHouse } from '../support/clickhouse';
import { courseMaps, eventSets, EXPERIMENTS, linkSets } from '../support/event-sets';
import { checks } from '../support/properties';

const RUNS = 15;
/** The number of histories stored together, because each statement is slow. */
const HISTORIES = 24;
/** Replacement ids that are hard to escape in a statement. They sort like the ids they replace. */
const HARD = new Map([
  ['a', "a'"],
  ['b', 'b\\'],
  ['c', "c\\'; --"],
  ['d', 'd \x7f'],
]);
const hard = (id: string): string => HARD.get(id) ?? id;

const exclusionSets = fc.array(
  fc.record({
    visitor_id: fc.constantFrom('a', 'b', 'c', 'd', 'e').map(hard),
    experiment_id: fc.constantFrom(null, ...EXPERIMENTS),
    wanted: fc.constant(1),
    applied: fc.constant(1),
  }),
  { maxLength: 2 },
);

const histories = fc.array(
  fc.record({
    events: eventSets,
    links: fc.oneof(fc.constant([]), linkSets),
    exclusions: exclusionSets,
    rules: courseMaps,
  }),
  { minLength: HISTORIES, maxLength: HISTORIES },
);
type Given = typeof histories extends fc.Arbitrary<(infer Each)[]> ? Each : never;

/** The events, links, exclusions and counting rules of a project. */
interface History {
  projectId: number;
  events: AnyEvent[];
  links: ScopedLink[];
  exclusions: (ExclusionRow & { projectId: number })[];
  rules: Map<number, CountingRules>;
}

/** Gives the experiments and goals ids that are unique to a project. */
function inProject({ events, links, exclusions, rules }: Given, projectId: number): History {
  const own = (id: number | null): number | null => (id === null ? null : id + 100 * projectId);
  return {
    projectId,
    events: withoutRepeats(events).map((event) => ({
      ...event,
      visitor_id: hard(event.visitor_id),
      experiment_id: own(event.experiment_id),
      goal_id: own(event.goal_id),
    })),
    links: storedLinks(links, projectId),
    exclusions: exclusions.map((each) => ({ ...each, projectId, experiment_id: own(each.experiment_id) })),
    rules: new Map(
      [...rules].map(([id, rule]) => [
        id + 100 * projectId,
        { ...rule, caps: new Map([...rule.caps].map(([goal, cap]) => [goal + 100 * projectId, cap])) },
      ]),
    ),
  };
}

/** The links as the server stores them: each from an id to the canonical id. */
function storedLinks(links: readonly AnyLink[], projectId: number): ScopedLink[] {
  const ids = [...new Set(links.flatMap(({ from, to }) => [from, to]))];
  const canonicalId = visitorsByHand(links, null);
  return ids
    .filter((id) => canonicalId(id) !== id)
    .map((id) => ({
      projectId,
      visitorId: hard(id),
      canonicalId: hard(canonicalId(id)),
      linkedAt: linkedAt(links, id),
    }));
}

/** When an id was linked to its visitor. Results that were final by then ignore the link. */
const linkedAt = (links: readonly AnyLink[], id: string): number =>
  links
    .map(({ linkedAt: at }) => at)
    .sort((a, b) => a - b)
    .find((at) => visitorsByHand(links, at + 1)(id) !== id) ?? 0;

const toScoped = ({ projectId, visitor_id, experiment_id }: History['exclusions'][number]) => ({
  projectId,
  visitorId: visitor_id,
  experimentId: experiment_id,
});

/** The cells and times that the TypeScript implementation computes. */
function attributed({ events, links, exclusions, rules }: History) {
  const linked = new LinkedIds(
    links.map(({ visitorId, canonicalId, linkedAt: at }) => ({
      visitor_id: visitorId,
      canonical_id: canonicalId,
      linked_at: at,
      attributed: 1,
    })),
  );
  const ids = [...new Set(events.map(({ visitor_id }) => visitor_id))].sort();
  const byId = ids.map((visitorId) => ({
    visitorId,
    events: events
      .filter(({ visitor_id }) => visitor_id === visitorId)
      .map((event) => ({ ...event, isAttributed: true })),
  }));
  const visitors = linked.visitors(byId);
  const participations = new Exclusions(exclusions, new Set()).counted(
    visitors.flatMap((visitor) => participationsOf(visitor, rules)),
  );
  const sums = new CellChanges();
  participations.flatMap(({ contributions }) => contributions).forEach((each) => sums.add(each));
  const byExperiment = groupBy(participations, ({ experimentId }) => experimentId);
  const spans = [...byExperiment].map(([id, own]) => [id, own.reduce(widened, NEVER)] as const);
  return { cells: sums.list().map(asText), spans, seen: seenIn(visitors) };
}

const NEVER = { first: null, last: null };

/** The times of the first and last event of each experiment. */
function spansOf(rows: readonly Omit<SeenRow, 'project_id'>[]) {
  const spans = [...groupBy(rows, ({ experiment_id }) => experiment_id)].map(([id, own]) => {
    const first = Math.min(...own.map(({ first_at }) => first_at));
    const last = Math.max(...own.map(({ last_at }) => last_at));
    return [id, { first, last }] as const;
  });
  return new Map(spans);
}

describeWithClickHouse('attribution in ClickHouse', () => {
  let server: TestClickHouse;
  let client: ClickHouseClient;

  beforeAll(async () => {
    server = await TestClickHouse.start();
    client = createClient({
      url: `http://127.0.0.1:${server.port}`,
      username: 'gosset',
      password: 'secret/1',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    });
    await client.command({ query: createEvents(1) });
  });

  afterAll(async () => {
    await client?.close();
    await server?.remove();
  });

  const rowsOf = async <Row>(query: string): Promise<Row[]> =>
    (await client.query({ query, format: 'JSONEachRow' })).json<Row>();

  /**
   * Stores all events twice in three batches. Stores them again with a later time in a later batch, and with another
   * device in a batch that does not count.
   */
  async function store(all: readonly History[]): Promise<void> {
    await client.command({ query: 'TRUNCATE TABLE events' });
    const values = all.flatMap(({ projectId, events }) =>
      events.map((event, index) => ({
        ...toEventLogRow(projectId, event),
        batch_id: 10 + (index % 3),
      })),
    );
    const later = values.map((row) => ({ ...row, batch_id: 1_000, occurred_at: row.occurred_at + 1 }));
    const notCounted = values.map((row) => ({ ...row, batch_id: 2, device: 9 }));
    await client.insert({
      table: 'events',
      values: [...values, ...later, ...notCounted, ...values],
      format: 'JSONEachRow',
    });
  }

  it('computes the same cells and times as the TypeScript implementation', async () => {
    const property = fc.asyncProperty(histories, async (given) => {
      const all = given.map((history, index) => inProject(history, index + 1));
      await store(all);
      const scope = {
        visitors: `project_id <= ${all.length}`,
        batches: 'batch_id >= 10',
        links: all.flatMap(({ links }) => links),
        exclusions: all.flatMap(({ exclusions }) => exclusions.map(toScoped)),
        rules: all.flatMap(({ projectId, rules }) =>
          [...rules].map(([experimentId, rule]) => ({
            experimentId,
            projectId,
            rules: rule,
            after: null,
            until: null,
          })),
        ),
      };
      const rows = await rowsOf<CellRow>(cellsQuery(scope));
      const seen = await rowsOf<SeenRow>(seenQuery(scope));
      const expected = all.map(attributed);
      expect(rows.map((row) => asText(cellOf(row))).sort()).toEqual(
        expected.flatMap(({ cells }) => cells).sort(),
      );
      expect(spansOf(rows)).toEqual(new Map(expected.flatMap(({ spans }) => [...spans])));
      expect(spansOf(seen)).toEqual(new Map(expected.flatMap((each) => [...each.seen])));
    });
    await fc.assert(property, checks(RUNS));
  });

  it('reads the events table once', async () => {
    const [history] = fc.sample(
      histories.map((given) => given.map((each, index) => inProject(each, index + 1))),
      { numRuns: 1, seed: 1 },
    );
    await store(history ?? []);
    const rules = {
      runs: [{ startedAt: 1, endedAt: null }],
      finalAt: null,
      phases: [1],
      caps: new Map(),
      hasSquares: true,
      recounts: 0,
    };
    const statement = cellsQuery({
      visitors: 'project_id > 0',
      batches: 'batch_id >= 10',
      links: [],
      exclusions: [],
      rules: [{ experimentId: 1, projectId: 1, rules, after: null, until: null }],
    });
    const steps = await rowsOf<{ explain: string }>(`EXPLAIN ${statement}`);
    expect(steps.filter(({ explain }) => explain.includes('ReadFromMergeTree'))).toHaveLength(1);
  });
});
