import { join } from 'node:path';
import oneEngine from '../test/runner/one-engine.cjs';
import { node, prepare } from './lib.mjs';

/* `test.mjs [--mysql] [--chaos | --fuzz] [arguments of jest]` */

const MYSQL_OPTION = '--mysql';
const SUITES = ['chaos', 'fuzz'];
const POOL_MEGABYTES = 256;
const args = process.argv.slice(2);
const engine = args.includes(MYSQL_OPTION) ? 'mysql' : 'sqlite';
const suite = SUITES.find((name) => args.includes(`--${name}`)) ?? '';

prepare();

/** The Redis URL for this engine. Each engine uses a different Redis database, so tests on both can run at once. */
function redisOf({ TEST_REDIS_URL: given }) {
  if (!given || new URL(given).pathname.length > 1) {
    return {};
  }
  return { TEST_REDIS_URL: new URL(engine === 'mysql' ? '/1' : '/0', given).href };
}

// Removes DATABASE_URL, so no test can reach the database of a server in use.
const { DATABASE_URL: _, ...environment } = process.env;
const options = [MYSQL_OPTION, ...SUITES.map((name) => `--${name}`)];
const given = args.filter((arg) => !options.includes(arg));
// The specs next to the sources, the specs of the snippet and some others do not depend on the database.
const withDatabase = [
  ...['--roots', 'test/e2e', 'test/browser'],
  ...['--testPathIgnorePatterns', 'browser/snippet-', ...oneEngine.ON_ONE_ENGINE, 'node_modules'],
];
// Tests for a single engine start their own databases and run once.
const onAnyEngine = ['--testPathIgnorePatterns', 'test/chaos/database', 'node_modules'];
const chosenByDefault = { '': withDatabase, chaos: onAnyEngine, fuzz: [] }[suite];
const chosen = engine === 'mysql' && given.length === 0 ? chosenByDefault : given;
// Tests that stop processes or fill disks run one after another. The tests for both engines can run at the same time.
const oneByOne = suite === '' ? [] : ['--runInBand'];
// Doubles V8's semi-space, also in workers, so fewer short-lived objects are copied.
const flags = ['--max-semi-space-size=32'];
const jest = [...flags, join('node_modules', 'jest', 'bin', 'jest.js'), ...oneByOne, ...chosen];
const run = (url) =>
  node(jest, {
    ...environment,
    ...redisOf(environment),
    ...url,
    GOSSET_TEST_ENGINE: engine,
    GOSSET_TEST_SUITE: suite,
  });

process.exit(engine === 'mysql' && !process.env.TEST_DATABASE_URL ? await runOnOwn() : run());

/**
 * Runs the tests on a new MariaDB server, with its data in the fastest folder. On disk, a database server would spend
 * most of its time creating and dropping test databases.
 */
async function runOnOwn() {
  const { fastestFolder, hasMariaDb, withOwnMariaDb } = await import('../bench/own-mariadb.mjs');
  if (!hasMariaDb()) {
    console.error(`The tests on MySQL or MariaDB need the package mariadb-server, or a server and the name of a database
that they may empty, for instance
  TEST_DATABASE_URL=mysql://root@127.0.0.1:3306/gosset_test npm run test:mysql`);
    return 1;
  }
  let code = 1;
  await withOwnMariaDb(
    POOL_MEGABYTES,
    ({ url }) => (code = run({ TEST_DATABASE_URL: url })),
    fastestFolder(),
  );
  return code;
}
