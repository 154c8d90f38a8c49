import type BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { addExactFunctions, exactSum } from './dialect';
import { loadSqliteDriver } from './sqlite-driver';

/** @jest-environment node */

/* Compares sums on SQLite with sums of big integers. */

let connection: BetterSqlite3.Database;

beforeAll(() => {
  connection = new (loadSqliteDriver())(':memory:');
  addExactFunctions(connection);
  connection.exec('CREATE TABLE amounts (amount TEXT NOT NULL)');
});

afterAll(() => connection.close());

function sumOf(amounts: readonly bigint[]): string {
  connection.exec('DELETE FROM amounts');
  const insert = connection.prepare('INSERT INTO amounts (amount) VALUES (?)');
  amounts.forEach((amount) => insert.run(String(amount)));
  const { total } = connection
    .prepare(`SELECT ${exactSum('sqlite', 'amount')} AS total FROM amounts`)
    .get() as {
    total: string;
  };
  return total;
}

const expected = (amounts: readonly bigint[]): string =>
  String(amounts.reduce((total, amount) => total + amount, 0n));

it('sums are exact to the last digit, whatever their size', () => {
  const amount = fc.oneof(
    fc.constant(0n),
    fc.bigInt({ min: -1_000n, max: 1_000_000n }),
    fc.bigInt({ min: 99_999_999_999_990n, max: 1_000_000_000_000_009n }),
    fc.bigInt({ min: -(10n ** 15n), max: -(10n ** 14n) + 9n }),
    fc.bigInt({ min: 0n, max: 10n ** 40n }),
  );
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 60 }), (amounts) => {
      expect(sumOf(amounts)).toBe(expected(amounts));
    }),
  );
});

it('sums are exact if many large values add up to more than a double can represent exactly', () => {
  const amounts = Array.from({ length: 50 }, () => 999_999_999_999_999n);
  expect(sumOf(amounts)).toBe(expected(amounts));
});

it('sums are 0 if there are no rows or if all values are 0', () => {
  expect([sumOf([]), sumOf([0n, 0n])]).toEqual(['0', '0']);
});
