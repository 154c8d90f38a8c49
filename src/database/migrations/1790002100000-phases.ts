import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, isMysql, schemaOf } from './schema';

const CELLS = ['result_cells', 'entry_cells'] as const;
const FIGURES = ['participants', 'converters', 'conversions', 'value', 'value_squared'];

/** The parts of a published experiment whose changes begin a new phase. */
interface Published {
  id: number;
  variations: { id: number; share: number }[];
}

interface Phase {
  number: number;
  beganAt: number;
  shares: string;
}

/**
 * Adds phases: periods in which an experiment was live with the same shares, derived from the experiment's
 * publications. Existing results are shown as one phase until a server has rebuilt them in the background. SQLite
 * cannot change a primary key, so on SQLite the cells are copied. There are only a few cells.
 */
export class Phases1790002100000 implements MigrationInterface {
  readonly name = 'Phases1790002100000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, micros, mediumText } = schemaOf(runner);
    if (!(await runner.hasTable('experiment_phases'))) {
      await createTable(runner, 'experiment_phases', {
        columns: { id, experiment_id: integer, number: integer, began_at: micros, shares: mediumText },
        unique: { uq_experiment_phases_number: ['experiment_id', 'number'] },
        references: [
          { name: 'fk_experiment_phases_experiment', column: 'experiment_id', table: 'experiments' },
        ],
      });
    }
    if (!(await runner.hasColumn('events', 'phase'))) {
      await runner.query(`ALTER TABLE events ADD COLUMN phase ${isMysql(runner) ? 'int NULL' : 'integer'}`);
    }
    for (const table of CELLS) {
      await (isMysql(runner) ? addToKey(runner, table) : copyWithPhase(runner, table));
    }
    for (const [experimentId, phases] of await publishedPhases(runner)) {
      await insert(runner, experimentId, phases);
    }
    await runner.query('UPDATE experiment_results SET rules_version = attribution_version + 1');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of CELLS) {
      const key = keyOf(table).filter((name) => name !== 'phase');
      await runner.query(`DELETE FROM ${table}`);
      await (isMysql(runner)
        ? runner.query(
            `ALTER TABLE ${table} DROP PRIMARY KEY, DROP COLUMN phase, ADD PRIMARY KEY (${key.join(', ')})`,
          )
        : replaceTable(runner, table, key, () => Promise.resolve()));
    }
    await runner.query('ALTER TABLE events DROP COLUMN phase');
    await runner.dropTable('experiment_phases');
  }
}

const keyOf = (table: (typeof CELLS)[number]): string[] => [
  'experiment_id',
  'generation',
  'goal_id',
  'variation_id',
  'phase',
  'device',
  'entry_day',
  ...(table === 'result_cells' ? ['event_day'] : []),
];

async function addToKey(runner: QueryRunner, table: (typeof CELLS)[number]): Promise<void> {
  if (!(await runner.hasColumn(table, 'phase'))) {
    await runner.query(
      `ALTER TABLE ${table} ADD COLUMN phase int NOT NULL DEFAULT 1 AFTER variation_id,
         DROP PRIMARY KEY, ADD PRIMARY KEY (${keyOf(table).join(', ')})`,
    );
  }
}

const copyWithPhase = (runner: QueryRunner, table: (typeof CELLS)[number]): Promise<void> =>
  replaceTable(runner, table, keyOf(table), async () => {
    const old = [...keyOf(table), ...FIGURES].filter((name) => name !== 'phase').join(', ');
    await runner.query(`INSERT INTO ${table} (${old}, phase) SELECT ${old}, 1 FROM old_${table}`);
  });

/** @param fill copies the rows from the table `old_...` */
async function replaceTable(
  runner: QueryRunner,
  table: (typeof CELLS)[number],
  key: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const { integer, exactSum } = schemaOf(runner);
  await runner.query(`ALTER TABLE ${table} RENAME TO old_${table}`);
  await createTable(runner, table, {
    columns: {
      ...Object.fromEntries(
        key.map((name) => [
          name,
          { ...integer, isPrimary: true, ...(name === 'phase' ? { default: 1 } : {}) },
        ]),
      ),
      participants: integer,
      converters: integer,
      conversions: integer,
      value: exactSum,
      value_squared: exactSum,
    },
    references: [
      {
        name: `fk_${table}_experiment_result`,
        column: 'experiment_id',
        table: 'experiment_results',
        key: 'experiment_id',
      },
    ],
    isClustered: true,
  });
  await fill();
  await runner.query(`DROP TABLE old_${table}`);
}

/** The phases of each experiment that was live, derived from its publications and its first start. */
async function publishedPhases(runner: QueryRunner): Promise<Map<number, Phase[]>> {
  const starts = (await runner.query(
    'SELECT experiment_id, MIN(started_at) AS started_at FROM experiment_runs GROUP BY experiment_id',
  )) as { experiment_id: number; started_at: string | number }[];
  const startOf = new Map(starts.map((row) => [row.experiment_id, Number(row.started_at)]));
  const revisions = (await runner.query(
    'SELECT project_id, revision, created_at FROM publications ORDER BY project_id, revision',
  )) as { project_id: number; revision: number; created_at: string | number }[];
  const phases = new Map<number, Phase[]>();
  for (const { project_id, revision, created_at } of revisions) {
    for (const { id, variations } of await experimentsIn(runner, project_id, revision)) {
      const own = phases.get(id) ?? [];
      const live = variations.filter(({ share }) => share > 0);
      const shares = JSON.stringify(Object.fromEntries(live.map((each) => [each.id, each.share])));
      const beganAt = own.length === 0 ? (startOf.get(id) ?? Number(created_at)) : Number(created_at);
      if (own.at(-1)?.shares !== shares) {
        phases.set(id, [...own, { number: own.length + 1, beganAt, shares }]);
      }
    }
  }
  return phases;
}

async function experimentsIn(runner: QueryRunner, projectId: number, revision: number): Promise<Published[]> {
  const pieces = (await runner.query(
    `SELECT bytes FROM publication_parts
      WHERE project_id = ? AND revision = ? AND part = 'definitions' ORDER BY position`,
    [projectId, revision],
  )) as { bytes: Buffer }[];
  const json = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
  return json === '' ? [] : (JSON.parse(json) as { experiments: Published[] }).experiments;
}

/** Skips purged experiments, which publications still contain. */
async function insert(runner: QueryRunner, experimentId: number, phases: readonly Phase[]): Promise<void> {
  for (const { number, beganAt, shares } of phases) {
    await runner.query(
      `INSERT INTO experiment_phases (experiment_id, number, began_at, shares)
       SELECT e.id, ?, ?, ? FROM experiments e
        WHERE e.id = ? AND NOT EXISTS (
          SELECT 1 FROM experiment_phases p WHERE p.experiment_id = e.id AND p.number = ?)`,
      [number, beganAt, shares, experimentId, number],
    );
  }
}
