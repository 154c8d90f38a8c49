import {
  keptVariation,
  LIFETIME_MS,
  mergeRecords,
  parseRecord,
  VisitorRecord,
  withAssignment,
  writeRecord,
} from './visitor-record';

const NOW = Date.UTC(2026, 4, 1);
const RECORD: VisitorRecord = {
  id: '019f0000-0000-7000-8000-000000000001',
  since: NOW - 1_000,
  seen: NOW,
  renewed: NOW - 500,
  assignments: { 'exp-1001': '5002' },
  exposed: [1001],
};

const withMany = (count: number): VisitorRecord =>
  Array.from({ length: count }, (_, index) => index + 1).reduce<VisitorRecord>(
    (record, experiment) => ({
      ...withAssignment(record, experiment, experiment * 10),
      exposed: [...record.exposed, experiment],
    }),
    { ...RECORD, assignments: {}, exposed: [] },
  );

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
    JSON.stringify({ ...RECORD, id: 'Zoë' }),
    JSON.stringify({ ...RECORD, id: 'a\tb' }),
    JSON.stringify({ ...RECORD, id: 'not percent-encoded: %' }),
    JSON.stringify({ ...RECORD, id: 5 }),
    JSON.stringify({ ...RECORD, id: 'x'.repeat(65) }),
    JSON.stringify({ ...RECORD, since: 'today' }),
    JSON.stringify({ ...RECORD, assignments: null }),
    JSON.stringify({ ...RECORD, exposed: {} }),
  ])('ignores foreign data: %j', (text) => {
    expect(parseRecord(text, NOW)).toBeNull();
  });

  it('drops invalid assignments and times', () => {
    const assignments = { 'exp-1': '2', 'exp-2': 'b', other: '3', 'exp-4': null };
    const text = JSON.stringify({ ...RECORD, renewed: 'x', assignments, exposed: [1, 'x', null] });
    expect(parseRecord(text, NOW)).toMatchObject({
      renewed: undefined,
      assignments: { 'exp-1': '2' },
      exposed: [1],
    });
  });

  it('lasts for 365 days after the last visit', () => {
    const text = writeRecord(RECORD, Infinity);
    expect(parseRecord(text, NOW + LIFETIME_MS)).toEqual(RECORD);
    expect(parseRecord(text, NOW + LIFETIME_MS + 1)).toBeNull();
  });

  it('keeps the assignments of the 150 latest experiments', () => {
    const kept = parseRecord(writeRecord(withMany(200), Infinity), NOW)!;
    expect(Object.keys(kept.assignments)).toHaveLength(150);
    expect([keptVariation(kept, 50), keptVariation(kept, 51)]).toEqual([undefined, '510']);
    expect(Math.min(...kept.exposed)).toBe(51);
  });

  it('stays within its maximum length', () => {
    const text = writeRecord(withMany(150), 1_000);
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text.length).toBeGreaterThan(950);
    expect(keptVariation(parseRecord(text, NOW)!, 150)).toBe('1500');
  });

  it('merges data that other pages have stored', () => {
    const other = { ...withAssignment(RECORD, 1002, 6001), exposed: [1002] };
    const own = withAssignment(RECORD, 1003, 7001);
    expect(mergeRecords(own, other)).toEqual({
      ...RECORD,
      assignments: { 'exp-1001': '5002', 'exp-1002': '6001', 'exp-1003': '7001' },
      exposed: [1001, 1002],
    });
    expect(mergeRecords(own, null)).toBe(own);
    const somebody = { ...RECORD, id: 'somebody' };
    expect(mergeRecords(own, somebody)).toBe(somebody);
  });
});
