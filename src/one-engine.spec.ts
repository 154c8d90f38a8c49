import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ON_ONE_ENGINE } from '../test/runner/one-engine.cjs';
import { LONG } from '../test/runner/sequencer.cjs';

/* Tests that use a database run on both engines. */

const ROOT = join(__dirname, '..');

/** The ways in which a test can depend on the database, directly or through its support files. */
const REACHES_DATABASE =
  /\.(database|databaseUrl|read|transaction|query)\b|support\/(builders|cells|engine|event-sets|events|imports|interrupted-reads|ledger|lock|mariadb|statements|template)'/;

const reachesDatabase = (text: string): boolean => REACHES_DATABASE.test(text);
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('test files that run on one engine', () => {
  it.each(ON_ONE_ENGINE)('%s exists and does not depend on the database', (file) => {
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    expect([file, reachesDatabase(textOf(file))]).toEqual([file, false]);
  });

  it.each(['outage', 'transactions', 'collection', 'migrations', 'results'])(
    'do not include %s, which depends on the database',
    (name) => expect(reachesDatabase(textOf(`test/e2e/${name}.spec.ts`))).toBe(true),
  );
});

it.each(LONG)('the long test file %s, which runs first, exists', (file) => {
  expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
});
