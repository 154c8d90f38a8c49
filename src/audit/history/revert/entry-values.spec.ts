import { Failures } from '../../../common/validation/failures';
import { bodyOf, checkUnchanged } from './entry-values';

const refused = (after: object, current: object): string[] => {
  const failures = new Failures();
  checkUnchanged(after as Record<string, unknown>, current, failures);
  return failures.all.map(({ path }) => path);
};

it('compares attachments by id, and decisions without the fields that the server adds', () => {
  const decision = {
    outcome: 'ship',
    variation_id: 1,
    note: null,
    decided_at: 'then',
    decided_by: { id: 1 },
  };
  const after = { goals: [{ id: 1, name: 'Old' }], decision, updated_at: 'then' };
  const now = { goals: [{ id: 1, name: 'New' }], decision: { ...decision, decided_at: 'now' } };
  expect(refused(after, { ...now, updated_at: 'now' })).toEqual([]);
  expect(refused(after, { goals: [], decision: null })).toEqual(['goals', 'decision']);
});

it('ignores fields that records no longer have', () => {
  expect(refused({ name: 'A', removed: 1 }, { name: 'A' })).toEqual([]);
});

it('does not treat truncated text as changed', () => {
  const failures = new Failures();
  const js = 'a'.repeat(2_000);
  checkUnchanged({ js: `${js.slice(0, 1_000)}… (2000 characters)` }, { js }, failures);
  expect(failures.all.map(({ path, code }) => [path, code])).toEqual([['js', 'NOT_REVERTIBLE']]);
});

it('sends only writable fields, and no values that the log has truncated', () => {
  const failures = new Failures();
  const values = { name: 'A', js: `${'a'.repeat(1_000)}… (300000 characters)`, id: 5 };
  const body = bodyOf(values, ['name', 'js', 'id', 'css'], ['name', 'js', 'css'], failures);
  expect(Object.keys(body)).toEqual(['name', 'js', 'css']);
  expect(body).toMatchObject({ name: 'A', css: null });
  expect(failures.all).toEqual([
    {
      path: 'js',
      message: 'The log stores only the beginning of the js field. Set the field yourself.',
      code: 'NOT_REVERTIBLE',
    },
  ]);
});

it('does not send lists or objects that contain truncated text', () => {
  const failures = new Failures();
  const cut = `${'a'.repeat(1_000)}… (2000 characters)`;
  const values = { conditions: ['and', { type: 'attribute', name: 'plan', match: 'in', value: ['b', cut] }] };
  bodyOf(values, ['conditions'], ['conditions'], failures);
  expect(failures.all.map(({ path, code }) => [path, code])).toEqual([['conditions', 'NOT_REVERTIBLE']]);
});
