import {
  Assignment,
  LIFETIME_MS,
  mergeRecords,
  parseRecord,
  VisitorRecord,
  withAssignment,
  writeRecord,
} from './visitor-record';

const NOW = Date.UTC(2026, 4, 1);
const TIMES = { since: NOW - 1_000, seen: NOW, renewed: NOW - 500 };
const RECORD: VisitorRecord = {
  id: '019f0000-0000-7000-8000-000000000001',
  ...TIMES,
  assignments: new Map([[1001, { variation: 5002, phase: 1, isExposed: true }]]),
};
/** The stored form, without the times. */
const STORED = { id: RECORD.id, assignments: { 'exp-1001': '5002' }, exposed: [1001] };

const at = (phase: number, variation = 5002, isExposed = false): Assignment => ({
  variation,
  phase,
  isExposed,
});
const having = (...assignments: [number, Assignment][]): VisitorRecord => ({
  ...RECORD,
  assignments: new Map(assignments),
});
const withMany = (count: number): VisitorRecord =>
  having(
    ...Array.from({ length: count }, (_, index): [number, Assignment] => [
      index + 1,
      at(1, (index + 1) * 10, true),
    ]),
  );
const variationIn = (record: VisitorRecord, experiment: number): number | undefined =>
  record.assignments.get(experiment)?.variation;

describe('the record of a visitor', () => {
  it('can be read back unchanged', () => {
    const text = writeRecord(RECORD, Infinity);
    expect(parseRecord(text, NOW)).toEqual(RECORD);
    expect(writeRecord(parseRecord(text, NOW)!, Infinity)).toBe(text);
  });

  it.each(['user@example.com', `it's "a|b", 100 %; c\\d = e`, ' ', '~'.repeat(64)])(
    'escapes the characters of the id %j that are not allowed in cookies',
    (id) => {
      const text = writeRecord({ ...RECORD, id }, Infinity);
      expect(text).not.toMatch(/['|;\\\s]/);
      expect(parseRecord(text, NOW)).toEqual({ ...RECORD, id });
    },
  );

  it.each([
    null,
    '',
    'null',
    '[]',
    '{"id":',
    '{}',
    JSON.stringify({ ...TIMES, ...STORED, id: 'Zoë' }),
    JSON.stringify({ ...TIMES, ...STORED, id: 'a\tb' }),
    JSON.stringify({ ...TIMES, ...STORED, id: 'not percent-encoded: %' }),
    JSON.stringify({ ...TIMES, ...STORED, id: 5 }),
    JSON.stringify({ ...TIMES, ...STORED, id: 'x'.repeat(65) }),
    JSON.stringify({ ...TIMES, ...STORED, since: 'today' }),
    JSON.stringify({ ...TIMES, ...STORED, assignments: null }),
    JSON.stringify({ ...TIMES, ...STORED, exposed: {} }),
  ])('ignores foreign data: %j', (text) => {
    expect(parseRecord(text, NOW)).toBeNull();
  });

  it('drops invalid assignments, phases and times', () => {
    const assignments = { 'exp-1': '2', 'exp-2': 'b', other: '3', 'exp-4': null };
    const fields = { renewed: 'x', assignments, phases: { 1: 'x', 2: 3 }, exposed: [1, 'x', null] };
    expect(parseRecord(JSON.stringify({ ...TIMES, ...STORED, ...fields }), NOW)).toEqual({
      ...RECORD,
      renewed: undefined,
      assignments: new Map([[1, at(1, 2, true)]]),
    });
  });

  it('keeps the form that scripts of the first release read, in which all phases are the first', () => {
    const text = writeRecord(having([1001, at(2)], [1002, at(1)]), Infinity);
    expect(JSON.parse(text)).toMatchObject({
      assignments: { 'exp-1001': '5002', 'exp-1002': '5002' },
      phases: { 1001: 2 },
      exposed: [],
    });
    expect(parseRecord(text, NOW)).toEqual(having([1001, at(2)], [1002, at(1)]));
    expect(parseRecord(JSON.stringify({ ...TIMES, ...STORED }), NOW)).toEqual(RECORD);
  });

  it('lasts for 365 days after the last visit', () => {
    const text = writeRecord(RECORD, Infinity);
    expect(parseRecord(text, NOW + LIFETIME_MS)).toEqual(RECORD);
    expect(parseRecord(text, NOW + LIFETIME_MS + 1)).toBeNull();
  });

  it('keeps the assignments of the 150 latest experiments', () => {
    const kept = parseRecord(writeRecord(withMany(200), Infinity), NOW)!;
    expect(kept.assignments.size).toBe(150);
    expect([variationIn(kept, 50), variationIn(kept, 51)]).toEqual([undefined, 510]);
  });

  it('stays within its maximum length', () => {
    const text = writeRecord(withMany(150), 1_000);
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text.length).toBeGreaterThan(950);
    expect(variationIn(parseRecord(text, NOW)!, 150)).toBe(1500);
  });

  it('merges assignments that other pages have stored', () => {
    const own = withAssignment(RECORD, 1003, at(1, 7001));
    const stored = { ...having([1001, at(1)], [1002, at(1, 6001)]), seen: NOW + 1 };
    expect(mergeRecords(own, stored)).toEqual({
      ...having([1001, at(1, 5002, true)], [1002, at(1, 6001)], [1003, at(1, 7001)]),
      seen: NOW + 1,
    });
  });

  it.each([
    ['the stored assignment of the same phase', at(1, 5001), at(1, 5002), 5002],
    ['the assignment of a later phase', at(2, 5001), at(1, 5002, true), 5001],
    [
      'the stored assignment of a later phase, also in a page with an earlier script',
      at(1, 5001),
      at(2),
      5002,
    ],
  ])('keeps %s', (_, own, stored, variation) => {
    expect(variationIn(mergeRecords(having([1001, own]), having([1001, stored])), 1001)).toBe(variation);
  });
});
