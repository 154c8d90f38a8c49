import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { formatDay } from '../../src/common/time/clock';
import { COUNTS, EXACT_SUMS } from '../../src/events/attribution';
import { DEVICE_TYPES } from '../../src/events/device-types';
import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { storedVisitor } from '../../src/events/visitors';
import { AdminCommand } from '../support/admin';
import type { AnyEvent, AnyLink } from '../support/brute-force';
import { blocksOf, readDocument } from '../support/documents';
import { courseMaps, eventSets, GOALS, linkSets } from '../support/event-sets';
import { type LoggedScene, onBothEventLogs } from '../support/event-logs';
import { attributeAll } from '../support/events';
import { Histories } from '../support/histories';
import { hasClickHouse, SqlEngine } from '../support/sql-engines';

/* The SQL in docs/sql computes the same cells from an export as attribution does from the events. */

const scene = {} as LoggedScene;
let histories: Histories;
const FORMATS = ['parquet', 'ndjson', 'csv'];
const FIGURES = [...COUNTS, ...EXACT_SUMS];
const ADDRESS = ['experiment_id', 'goal_id', 'variation_id', 'phase', 'device', 'entry_day', 'event_day'];
const CELLS = `SELECT ${[...ADDRESS, ...FIGURES].join(', ')} FROM cells`;
const RUNS = 6;
/** Property tests time out after 100 seconds, and ClickHouse is slower than DuckDB. */
const RUNS_IN_CLICKHOUSE = 3;
const HISTORIES = 40;

let folder: string;
let admin: AdminCommand;

/** The cells in the database in the format of the SQL: devices by name, days as dates. */
async function ownCells(): Promise<string[]> {
  const rows: Record<string, unknown>[] = await scene.api.database.read.query(
    `SELECT ${[...ADDRESS, ...FIGURES].map((column) => `c.${column}`).join(', ')}
       FROM result_cells c JOIN experiment_results r
         ON r.experiment_id = c.experiment_id AND r.generation = c.generation`,
  );
  return rows
    .map(({ device, entry_day, event_day, ...cell }) => ({
      ...cell,
      device: DEVICE_TYPES[Number(device)],
      entry_day: formatDay(Number(entry_day)),
      event_day: formatDay(Number(event_day)),
    }))
    .map((cell: Record<string, unknown>) =>
      [...ADDRESS, ...FIGURES].map((name) => String(cell[name])).join(' '),
    )
    .sort();
}

/** Sums of figures of the cells in the database, by experiment and other columns, in ascending order. */
async function ownSums(goals: string, columns: string, ...figures: string[]): Promise<string[]> {
  const rows: object[] = await scene.api.database.read.query(
    `SELECT c.experiment_id, ${columns}, ${figures.map((figure) => `SUM(c.${figure}) AS ${figure}`).join(', ')}
       FROM result_cells c JOIN experiment_results r
         ON r.experiment_id = c.experiment_id AND r.generation = c.generation
      WHERE c.goal_id ${goals}
      GROUP BY c.experiment_id, ${columns}
      ORDER BY c.experiment_id, ${columns}`,
  );
  return rows.map((row) => Object.values(row).map(String).join(' '));
}

/** Patterns for the ids of a history. Some ids are prefixes of others, and some are hard to escape in a format. */
const SHAPES = ['%', '% ', '%!', '% !', '%"', "%'", '%,', '=%', ' %', '\\N%', '%;', '\\%\\', 'null%', '#%'];
const IDS = ['a', 'b', 'c', 'd', 'e', '0', 'z'];
const nameIn = (history: number, id: string): string =>
  storedVisitor(SHAPES[(history + IDS.indexOf(id)) % SHAPES.length].replace('%', String(history)));

interface History {
  events: AnyEvent[];
  links: AnyLink[];
  /** The excluded ids, each with its experiment, or null for all experiments. */
  excluded: [id: string, experiment: number | null][];
}

const visitor = fc.constantFrom('a', 'b', 'c', 'd', 'e');

/**
 * Events, with copies from other devices at the same time. Some copies have the same id, like a message sent under
 * several ids of a visitor. Others have ids that sort before or after that of the original.
 */
const events = fc
  .tuple(
    fc.array(eventSets, { minLength: 5, maxLength: 5 }),
    fc.array(fc.tuple(fc.nat(50), visitor, fc.constantFrom('', '/', 'z')), { minLength: 12, maxLength: 12 }),
  )
  .map(([sets, copies]): AnyEvent[] => {
    const all = sets.flat();
    const chosen = all.length === 0 ? [] : copies;
    return [...all, ...chosen.map(([place, id, prefix]) => copyOf(all[place % all.length], id, prefix))];
  });

const copyOf = (event: AnyEvent, visitor_id: string, prefix: string): AnyEvent => ({
  ...event,
  visitor_id,
  event_id: prefix + event.event_id,
  device: (event.device + 1) % DEVICE_TYPES.length,
  value: event.value === null ? null : event.value - 1,
});

const history: fc.Arbitrary<History> = fc.record({
  events,
  links: linkSets,
  excluded: fc.array(fc.tuple(visitor, fc.constantFrom<(number | null)[]>(null, 1, 2)), { maxLength: 2 }),
});

/** The courses of the experiments. One goal has a cap, which some totals reach. */
const cappedCourses = fc.tuple(courseMaps, fc.constantFrom(1, 20_000)).map(([courses, cap]) => {
  const capped = [...courses].map(
    ([id, course]) => [id, { ...course, caps: new Map([...course.caps, [GOALS[0], cap]]) }] as const,
  );
  return new Map(capped);
});

const named = ({ events, links, excluded }: History, number: number): History => ({
  events: events.map((event) => ({ ...event, visitor_id: nameIn(number, event.visitor_id) })),
  links: links.map((link) => ({ ...link, from: nameIn(number, link.from), to: nameIn(number, link.to) })),
  excluded: excluded.map(([id, experiment]) => [nameIn(number, id), experiment]),
});

/** Stores histories and updates the results. */
async function live(all: readonly History[]): Promise<void> {
  const { projectId } = scene.world;
  const exclusions = scene.api.app.get(ExclusionsService, { strict: false });
  await histories.store(
    all.flatMap(({ events }) => events.map((event) => histories.asStored(event))),
    all.flatMap(({ links }) => links),
  );
  for (const experiment of [null, 1, 2]) {
    const ids = all.flatMap(({ excluded }) =>
      excluded.flatMap(([id, from]) => (from === experiment ? [id] : [])),
    );
    if (ids.length > 0) {
      const experimentId = experiment === null ? null : (histories.ids.get(experiment) ?? null);
      await exclusions.exclude({ projectId, experimentId, criteria: { ids } }, ids.length);
    }
  }
  await attributeAll(scene.api);
}

async function forget(): Promise<void> {
  await scene.log.clear();
  await scene.api.database.transaction(async (tx) => {
    await tx.query('DELETE FROM excluded_visitors');
    await tx.query('DELETE FROM visitor_exclusions');
  });
}

const exportTo = (name: string): Promise<unknown> =>
  admin.json([
    ...['events:export', '--project', String(scene.world.projectId), '--overwrite'],
    ...['--output', join(folder, name)],
  ]);

/** The names of figures that are not zero in at least one cell. */
const figuresMet = (cells: readonly string[]): string[] =>
  FIGURES.filter((_, index) => cells.some((cell) => cell.split(' ')[ADDRESS.length + index] !== '0')).sort();

const engines = [
  { engine: new SqlEngine('duckdb'), title: 'DuckDB' },
  ...(hasClickHouse() ? [{ engine: new SqlEngine('clickhouse'), title: 'ClickHouse' }] : []),
];

const titles = engines.map(({ title }) => title).join(' and ');

/** The SQL statements of a section of the document. */
function statementsIn(title: string): string[] {
  const [, section = ''] = readDocument('docs/events-export.md').split(`## ${title}\n`);
  return blocksOf(section.split('\n## ')[0])
    .filter(({ language }) => language === 'sql')
    .flatMap(({ text }) => text.split(/;\s*$/m))
    .filter((statement) => statement.trim() !== '');
}

/** The SQL statement in the document that reads an exported file of events or rules. */
function reading(title: string, file: string): string {
  const [found, ...more] = statementsIn(title).filter((statement) => statement.includes(`'${file}'`));
  expect([title, file, typeof found, more]).toEqual([title, file, 'string', []]);
  return found;
}

onBothEventLogs(scene, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gosset-export-'));
    admin = new AdminCommand(scene.api.databaseUrl, scene.log.environment);
    histories = new Histories(scene);
    await histories.prepare();
  });
  afterAll(() => {
    admin.remove();
    rmSync(folder, { recursive: true });
  });

  /** The rows of a query after the SQL has computed the cells from an export. */
  function rowsFrom(
    format: string,
    { engine, title }: (typeof engines)[number],
    query: string,
  ): Promise<string[]> {
    const load = [`events.${format}`, 'events.rules.ndjson'].map((file) => reading(title, file));
    return engine.run(folder, [engine.sql('tables'), ...load, engine.sql('cells')], query);
  }

  async function expectSameCells(own: readonly string[]): Promise<void> {
    for (const format of FORMATS) {
      await exportTo(`events.${format}`);
      for (const each of engines) {
        const cells = await rowsFrom(format, each, CELLS);
        expect([each.title, format, cells.sort()]).toEqual([each.title, format, own]);
      }
    }
  }

  it(`${titles} compute the same cells from an export in any format, to the last digit`, async () => {
    const met: string[] = [];
    const property = fc.asyncProperty(
      fc.array(history, { minLength: HISTORIES, maxLength: HISTORIES }),
      cappedCourses,
      async (all, courses) => {
        await forget();
        await histories.change(courses);
        await live(all.map(named));
        const own = await ownCells();
        met.push(...own);
        await expectSameCells(own);
      },
    );
    await fc.assert(property, {
      numRuns: scene.log.environment.EVENTS_URL ? RUNS_IN_CLICKHOUSE : RUNS,
      endOnFailure: true,
    });
    expect(figuresMet(met)).toEqual([...FIGURES].sort());
  }, 300_000);

  it(`${titles} answer the queries of the document`, async () => {
    await forget();
    const [courses] = fc.sample(cappedCourses, { numRuns: 1, seed: 1 });
    await histories.change(courses);
    await live(fc.sample(history, { numRuns: HISTORIES, seed: 1 }).map(named));
    const own = [
      await ownSums('= 0', 'variation_id', 'participants'),
      await ownSums('> 0', 'goal_id, variation_id', 'converters', 'conversions', 'value'),
    ];
    expect(own.map(({ length }) => length > 1)).toEqual([true, true]);
    await exportTo('events.parquet');
    for (const each of engines) {
      const answers = [];
      for (const query of statementsIn('Results')) {
        answers.push(await rowsFrom('parquet', each, query));
      }
      expect([each.title, answers]).toEqual([each.title, own]);
    }
  });
});

afterAll(() => Promise.all(engines.map(({ engine }) => engine.stop())));
