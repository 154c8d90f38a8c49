import { Database } from '../../src/database/database';
import { copiedTables } from '../../src/database/copy/copied-tables';
import { entities } from '../../src/entities';
import { AdminCommand } from '../support/admin';
import { testConfig } from '../support/api';
import { copyTargets, raw, RawRow } from '../support/database-copies';
import type { TestDatabase } from '../support/engine';
import { createMigratedDatabase } from '../support/template';
import { astral } from '../support/scene';

/* Extreme values of all columns are identical in a copy. The bytes are compared as each engine reports them. */

const AT = 1_795_400_000_123_457n;
const LAST = 9_223_372_036_854_775_807n;
const TEXTS = [
  '',
  ' ',
  'trailing ',
  'it\'s \\ "quoted" `so`',
  'NUL \0 in it',
  'line\r\n\tend',
  'é ü 漢字 עברית',
  astral(8),
];
const LONG = `${'<script>0123456789</script>\n'.repeat(60_000)}${astral(1_000)}`;

const named = (id: number, name: string): RawRow => ({
  id,
  name,
  name_key: `key ${id}`,
  name_search: name,
  version: 1,
  created_at: AT,
  updated_at: AT + 1n,
});

const team: RawRow = {
  id: 7,
  name: 'Team',
  name_search: 'team',
  projects_version: 1,
  members_version: 1,
  created_at: AT,
  updated_at: AT,
  lock_version: LAST,
};

const project: RawRow = {
  ...named(9, 'Shop'),
  team_id: 7,
  storage: 'cookie',
  snippet_revision: 2_147_483_647,
  client_key: 'pk_values',
  description: null,
  significance: 9_500,
  min_conversions: 0,
  min_runtime_days: 0,
  statistics_method: 'sequential',
  statistics_correction: 'none',
  uplift_prior: null,
  currency: null,
  deleted_at: null,
};

const page = (id: number, description: string | null): RawRow => ({
  ...named(id, `Page ${id}`),
  project_id: 9,
  api_name: `page-${id}`,
  description,
  conditions: description === null ? null : JSON.stringify([description]),
  activation: 'immediate',
});

const event = (visitor: string, value: bigint | null, flag: number): RawRow => ({
  project_id: 9,
  visitor_id: visitor,
  event_id: `${visitor}-1`.slice(0, 36),
  occurred_at: AT,
  experiment_id: null,
  variation_id: null,
  phase: null,
  goal_id: 1,
  value,
  device: 0,
  arrived_at: value,
  attributed: flag,
});

const piece = (position: number, bytes: Buffer): RawRow => ({
  project_id: 9,
  revision: 1,
  part: 'script',
  position,
  bytes,
});

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/** The tables in the order in which rows are inserted. */
const ROWS: readonly [table: string, rows: RawRow[]][] = [
  ['teams', [team]],
  ['projects', [project]],
  ['pages', [...TEXTS, LONG, null].map((text, index) => page(index + 1, text))],
  [
    'events',
    [
      event(' ', null, 0),
      event('a', 0n, 1),
      event('a b', LAST, 0),
      event('~'.repeat(65), -LAST, 1),
      ...Array.from({ length: 4_500 }, (_, index) => event(`visitor ${index}`, BigInt(index), index % 2)),
    ],
  ],
  [
    'publication_parts',
    [
      piece(0, Buffer.alloc(0)),
      piece(1, BYTES),
      ...Array.from({ length: 60 }, (_, index) => piece(index + 2, Buffer.alloc(300_000, index))),
    ],
  ],
];

async function insert(url: string): Promise<void> {
  for (const [table, rows] of ROWS) {
    const names = Object.keys(rows[0]);
    const tuple = `(${names.map(() => '?').join(', ')})`;
    const size = table === 'events' ? 500 : 1;
    for (let start = 0; start < rows.length; start += size) {
      const some = rows.slice(start, start + size);
      await raw(
        url,
        `INSERT INTO ${table} (${names.join(', ')}) VALUES ${some.map(() => tuple).join(', ')}`,
        some.flatMap((row) => names.map((name) => row[name])),
      );
    }
  }
}

const isInteger = (value: unknown): boolean => ['number', 'bigint'].includes(typeof value);

/** Every value of a table as its engine stores it: bytes in hexadecimal, integers as digits. */
async function contents(url: string, table: string, sample: readonly RawRow[]): Promise<string[]> {
  const values = Object.keys(sample[0]).map((name) => {
    const own = sample.some((row) => isInteger(row[name])) ? `CAST(\`${name}\` AS CHAR)` : `\`${name}\``;
    return `HEX(${own}) AS \`h_${name}\`, \`${name}\` IS NULL AS \`n_${name}\``;
  });
  const rows = (await raw(url, `SELECT ${values.join(', ')} FROM ${table}`)) as Record<
    string,
    string | null
  >[];
  // SQLite's hex() returns an empty text for null.
  return rows
    .map((row) =>
      Object.values(row)
        .map((value) => value ?? '')
        .join(' '),
    )
    .sort();
}

describe('values of a copied database', () => {
  const stores: TestDatabase[] = [];
  const admin = new AdminCommand('');

  beforeAll(async () => {
    stores.push(await createMigratedDatabase(), ...(await copyTargets()));
    await insert(stores[0].url);
    for (const [index, { url }] of stores.slice(1).entries()) {
      const { code, stderr } = await admin.run(['db:copy', '--from', stores[index].url, '--to', url]);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^From: .*\nTo: .*\n$/)]);
    }
  }, 120_000);

  afterAll(async () => {
    admin.remove();
    await Promise.all(stores.map((store) => store.remove()));
  });

  it.each(ROWS)('are the same in the table %s', async (table, rows) => {
    const [expected, ...copies] = await Promise.all(stores.map(({ url }) => contents(url, table, rows)));
    expect(expected).toHaveLength(rows.length);
    expect(copies.map((copy) => copy.join('\n') === expected.join('\n'))).toEqual(copies.map(() => true));
  });

  it('cover all tables of the schema', async () => {
    const database = await Database.open(testConfig({ DATABASE_URL: stores[0].url }).database, entities);
    const tables = (await copiedTables(entities)).map(({ name }) => name);
    const own = ['migrations', 'migration_locks', 'migration_statements'];
    const sql =
      database.engine === 'sqlite'
        ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()';
    const stored: { name: string }[] = await database.read.query(sql);
    await database.onApplicationShutdown();
    const copied = stored.map(({ name }) => name).filter((name) => !own.includes(name));
    expect(copied.sort()).toEqual([...tables].sort());
  });
});
