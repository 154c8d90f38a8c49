import fc from 'fast-check';
import type { AuditEntryRecord } from '../../audit/history/audit-entry.record';
import { entryChanges } from './entry-words';

/* The human-readable form of changed values. */

const change = (before: unknown, after: unknown) =>
  entryChanges({ before: { value: before }, after: { value: after } } as unknown as AuditEntryRecord)[0];

it('records are shown by name', () => {
  const records = [
    { id: 1, name: 'Orders' },
    { id: 2, name: 'Sales' },
  ];
  expect(change([], records)).toEqual({ text: 'Value: none → Orders, Sales', diff: null });
});

it.each([
  ['objects without a name', [{ match: 'simple', value: '/a' }], [{ match: 'simple', value: '/b' }]],
  ['objects without an id', ['and', { name: 'utm', value: 'a' }], ['and', { name: 'utm', value: 'b' }]],
  ['records whose names do not differ', [{ id: 1, name: 'A', url: '/a' }], [{ id: 1, name: 'A', url: '/b' }]],
])('%s are shown as a diff', (_kind, before, after) => {
  const { text, diff } = change(before, after);
  expect([text, diff]).toEqual(['Value changed', expect.stringContaining('+')]);
});

it('any other values that differ are not shown as if they were the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
      const { text } = change(before, after);
      const [, old, now] = /^Value: (.*) → (.*)$/.exec(text) ?? [];
      expect(text).toMatch(/^Value(: .* → .*| changed)$/);
      expect(old !== undefined && old === now).toBe(false);
    }),
  );
});
