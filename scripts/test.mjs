import { join } from 'node:path';
import { node, prepare } from './lib.mjs';

const MYSQL_OPTION = '--mysql';
const args = process.argv.slice(2);
const engine = args.includes(MYSQL_OPTION) ? 'mysql' : 'sqlite';

if (engine === 'mysql' && !process.env.TEST_DATABASE_URL) {
  console.error(`The tests on MySQL or MariaDB need a server and the name of a database they may empty, for instance
  TEST_DATABASE_URL=mysql://root@127.0.0.1:3306/gosset_test npm run test:mysql`);
  process.exit(1);
}

prepare();

// Without DATABASE_URL no test can reach the database of a server that is in use.
const { DATABASE_URL: _, ...environment } = process.env;
const given = args.filter((arg) => arg !== MYSQL_OPTION);
// The specs beside the sources and those of the snippet alone touch no database, so one engine is enough for them.
const withDatabase = ['--roots', 'test', '--testPathIgnorePatterns', 'browser/snippet-', 'node_modules'];
const chosen = engine === 'mysql' && given.length === 0 ? withDatabase : given;
const jest = [join('node_modules', 'jest', 'bin', 'jest.js'), ...chosen];
process.exit(node(jest, { ...environment, GOSSET_TEST_ENGINE: engine }));
