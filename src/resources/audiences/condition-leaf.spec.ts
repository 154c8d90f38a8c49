import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../../common/errors/api-errors';
import { createPatternCheck } from '../../common/validation/pattern';
import { checkLeaf, CONDITION_TYPES } from './condition-leaf';

const check = (leaf: unknown, path = ''): Failure[] => checkLeaf(path, leaf, createPatternCheck());

describe('checkLeaf', () => {
  it.each([
    { type: 'device', value: 'desktop' },
    { type: 'device', match: 'in', value: ['mobile', 'tablet'] },
    { type: 'browser', match: 'exact', value: 'chrome' },
    { type: 'browser', match: 'in', value: ['samsung internet', 'edge'] },
    { type: 'os', value: 'macos' },
    { type: 'language', value: 'de' },
    { type: 'language', match: 'in', value: ['en-GB', 'zh-Hant-TW', 'DE-at'] },
    { type: 'language', match: 'starts_with', value: 'de-' },
    { type: 'language', match: 'starts_with', value: 'de' },
    { type: 'visitor', match: 'exact', value: 'returning' },
    { type: 'url', value: 'https://example.com/?a=b' },
    { type: 'url', match: 'regex', value: '^https://(www\\.)?example\\.com/' },
    { type: 'referrer', match: 'ends_with', value: '\u{1F600}'.repeat(2_048) },
    { type: 'query', name: 'utm_source', match: 'contains', value: 'mail' },
    { type: 'query', name: 'gclid', match: 'exists' },
    { type: 'cookie', name: 'a', match: 'starts_with', value: 'b' },
    { type: 'attribute', name: 'plan', value: 'pro' },
    { type: 'attribute', name: 'paying', value: false },
    { type: 'attribute', name: 'seats', value: 0 },
    { type: 'attribute', name: 'seats', match: 'gte', value: 2.5 },
    { type: 'attribute', name: 'since', match: 'lt', value: '2026-05-01' },
    { type: 'attribute', name: 'plan', match: 'in', value: ['pro', 1, true] },
    { type: 'attribute', name: 'plan', match: 'exists' },
    { type: 'attribute', name: 'plan', match: 'regex', value: '^pro' },
    { type: 'attribute', name: 'plan', match: 'in', value: Array(1_000).fill('x') },
    { type: 'javascript', value: 'location.hash === "#a"' },
    { type: 'javascript', value: 'if (a) { return true; } return b;' },
    { type: 'javascript', value: '{ a: true }.a' },
    { type: 'device', name: null, match: null, value: 'mobile' },
    { type: 'query', name: 'a', match: 'exists', value: null },
  ])('accepts %j', (value) => {
    expect(check(value)).toEqual([]);
  });

  const cases: [Record<string, unknown>, Record<string, unknown>][] = [
    [{}, { type: 'The type field is required.' }],
    [
      { kind: 'device' },
      { kind: expect.stringContaining('The field kind is unknown.'), type: 'The type field is required.' },
    ],
    [{ type: null }, { type: 'The type field is required.' }],
    [
      { type: 'constructor', value: 'a' },
      { type: expect.stringContaining('The type must be one of: device, ') },
    ],
    [
      { type: '__proto__', value: 'a' },
      { type: expect.stringContaining('The type must be one of: device, ') },
    ],
    [
      { type: ['device'], value: 'mobile' },
      { type: expect.stringContaining('The type must be one of: device, ') },
    ],
    [
      { type: 'device', value: 'phone', matc: 1, Name: 2 },
      {
        matc: 'The field matc is unknown. A condition has these fields: type, name, match, value.',
        Name: 'The field Name is unknown. A condition has these fields: type, name, match, value.',
        value: 'The value must be one of: desktop, mobile, tablet.',
      },
    ],
    [
      { type: 'device', name: 'a', match: 'contains' },
      {
        name: 'The name must be omitted: only conditions on query, cookie, attribute have one.',
        match: 'The match must be one of: exact, in.',
        value: 'The value field is required.',
      },
    ],
    [
      { type: 'device', match: 'in', value: ['mobile', 'phone', 1] },
      {
        'value.1': 'The value must be one of: desktop, mobile, tablet.',
        'value.2': 'The value must be one of: desktop, mobile, tablet.',
      },
    ],
    [
      { type: 'device', match: 'is', value: ['phone'] },
      {
        match: 'The match must be one of: exact, in.',
        'value.0': expect.stringContaining('must be one of'),
      },
    ],
    [{ type: 'device', value: ['mobile'] }, { value: 'The value must be one of: desktop, mobile, tablet.' }],
    [
      { type: 'browser', value: 'Chrome' },
      { value: expect.stringMatching(/lower-case name such as chrome, /) },
    ],
    [{ type: 'os', value: '' }, { value: expect.stringMatching(/lower-case name such as windows, /) }],
    [
      { type: 'browser', match: 'starts_with', value: 'c' },
      { match: 'The match must be one of: exact, in.' },
    ],
    [{ type: 'language', value: 'de_DE' }, { value: expect.stringContaining('BCP 47') }],
    [{ type: 'language', value: 'de-' }, { value: expect.stringContaining('BCP 47') }],
    [{ type: 'language', match: 'starts_with', value: '-' }, { value: expect.stringContaining('BCP 47') }],
    [{ type: 'language', match: 'starts_with', value: 5 }, { value: expect.stringContaining('BCP 47') }],
    [
      { type: 'language', value: `de-x${'-abcdefgh'.repeat(300)}` },
      { value: expect.stringContaining('BCP 47') },
    ],
    [{ type: 'language', match: 'in', value: ['de', '*'] }, { 'value.1': expect.stringContaining('BCP 47') }],
    [{ type: 'visitor', value: 'old' }, { value: 'The value must be one of: new, returning.' }],
    [
      { type: 'visitor', match: 'in', value: ['new'] },
      { match: 'The match must be one of: exact.', value: expect.anything() },
    ],
    [{ type: 'url', value: 1 }, { value: 'The value must be a string.' }],
    [{ type: 'url', value: '' }, { value: 'The value field is required.' }],
    [
      { type: 'url', value: 'x'.repeat(2_049) },
      { value: 'The value may not be longer than 2048 characters.' },
    ],
    [{ type: 'url', value: 'a\0' }, { value: 'The value may not contain NUL characters.' }],
    [
      { type: 'url', match: 'exists' },
      { match: expect.stringContaining('must be one of'), value: 'The value field is required.' },
    ],
    [
      { type: 'referrer', match: 'regex', value: '(' },
      { value: 'The pattern does not compile: Unterminated group.' },
    ],
    [
      { type: 'referrer', match: 'regex', value: 'a(?!b)' },
      { value: expect.stringContaining('a look-ahead at character 2') },
    ],
    [{ type: 'referrer', match: 'regex', value: '' }, { value: 'The value field is required.' }],
    [{ type: 'query', value: 'a' }, { name: 'The name field is required.' }],
    [{ type: 'query', name: '', value: 'a' }, { name: 'The name field is required.' }],
    [{ type: 'cookie', name: 1, value: 'a' }, { name: 'The name must be a string.' }],
    [
      { type: 'cookie', name: 'x'.repeat(256), value: 'a' },
      { name: 'The name may not be longer than 255 characters.' },
    ],
    [
      { type: 'cookie', name: 'a', match: 'in', value: ['b'] },
      { match: expect.stringMatching(/regex, exists\.$/), value: 'The value must be a string.' },
    ],
    [
      { type: 'query', name: 'a', match: 'exists', value: 'b' },
      { value: 'The value must be omitted when the match is exists.' },
    ],
    [
      { type: 'attribute', name: 'a', value: { b: 1 } },
      { value: expect.stringContaining('a number, true or false') },
    ],
    [
      { type: 'attribute', name: 'a', value: Infinity },
      { value: expect.stringContaining('a number, true or false') },
    ],
    [{ type: 'attribute', name: 'a', match: 'contains', value: 1 }, { value: 'The value must be a string.' }],
    [
      { type: 'attribute', name: 'a', match: 'regex', value: '[' },
      { value: expect.stringContaining('not compile') },
    ],
    [
      { type: 'attribute', name: 'a', match: 'gt', value: true },
      { value: expect.stringMatching(/must be a number or a string/) },
    ],
    [
      { type: 'attribute', name: 'a', match: 'lte', value: '' },
      { value: expect.stringMatching(/must be a number or a string/) },
    ],
    [
      { type: 'attribute', name: 'a', match: 'in', value: 'b' },
      { value: expect.stringContaining('list of 1 to 1000 values') },
    ],
    [
      { type: 'attribute', name: 'a', match: 'in', value: [] },
      { value: expect.stringContaining('list of 1 to 1000 values') },
    ],
    [
      { type: 'attribute', name: 'a', match: 'in', value: Array(1_001).fill(null) },
      { value: expect.stringContaining('list of 1 to 1000 values') },
    ],
    [{ type: 'attribute', name: 'a', match: 'in', value: ['b', null] }, { 'value.1': expect.anything() }],
    [
      { type: 'javascript', name: 'a', match: 'exact', value: 'true' },
      {
        name: expect.stringContaining('must be omitted'),
        match: 'The match must be omitted from javascript conditions.',
      },
    ],
    [{ type: 'javascript', value: ' \n' }, { value: 'The value field is required.' }],
    [{ type: 'javascript', value: true }, { value: 'The value must be a string.' }],
    [
      { type: 'javascript', value: 'a ===' },
      { value: 'The script does not parse: Unexpected token (line 1, column 6).' },
    ],
    [
      { type: 'javascript', value: '}); alert(1); (function () {' },
      { value: expect.stringContaining('does not parse') },
    ],
    [
      { type: 'javascript', value: `'${'x'.repeat(262_143)}'` },
      { value: 'The value may not be larger than 256 KiB.' },
    ],
  ];
  it.each(cases)('rejects %j', (leaf, expected) => {
    const failures = check(leaf);
    expect(Object.fromEntries(failures.map(({ path, message }) => [path, message]))).toEqual(expected);
    expect(failures).toHaveLength(Object.keys(expected).length);
    expect(check(leaf, '2.1')).toEqual(
      failures.map((failure) => ({ ...failure, path: `2.1.${failure.path}` })),
    );
  });

  it.each([undefined, null, 1, 'mobile', ['and']])('rejects %j, which is not an object', (leaf) => {
    const message = 'Each condition must be an object, or a list that starts with one of: and, or, not.';
    expect(check(leaf, '3')).toEqual([{ path: '3', message }]);
  });

  it('rejects fields such as __proto__', () => {
    const leaf: unknown = JSON.parse('{"type": "device", "value": "mobile", "__proto__": {"match": "in"}}');
    expect(check(leaf).map(({ path }) => path)).toEqual(['__proto__']);
  });

  it('truncates messages about very many or very long unknown fields', () => {
    const fields = Array.from({ length: 1_000 }, (_, index) => [`${index}${'x'.repeat(1_000)}`, 1] as const);
    const failures = check({ type: 'visitor', value: 'new', ...Object.fromEntries(fields) });
    expect(failures).toHaveLength(20);
    expect(JSON.stringify(failures).length).toBeLessThan(10_000);
  });
});

it.each([
  ['api', 'A tree can contain these conditions:'],
  ['clients', 'Set them in the SDK:'],
])('the table of conditions in docs/%s.md contains every type', (name, introduction) => {
  const document = readFileSync(join(__dirname, `../../../docs/${name}.md`), 'utf8');
  const [, table] = document.split(`${introduction}\n\n`)[1].split(/^\| -.*\n/m);
  const [rows] = table.split('\n\n');
  const types = rows.split('\n').flatMap((row) => row.split('|')[1].match(/\w+/g) ?? []);
  expect(new Set(types)).toEqual(new Set(CONDITION_TYPES));
});
