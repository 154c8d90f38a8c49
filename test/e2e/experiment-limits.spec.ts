import { astral, errorsOf, Made, useScene } from '../support/scene';

const KIB = 1024;
const scriptOf = (bytes: number): string => `/*${'x'.repeat(bytes - 4)}*/`;
const address = (length: number): string => `https://a.example.com/${'p'.repeat(length - 22)}`;
const manyTags = (count: number): string[] => Array.from({ length: count }, (_, index) => `tag ${index}`);

describe('the fields of an experiment', () => {
  const scene = useScene();
  let made: Made;

  beforeAll(async () => {
    made = await scene.make.experiment();
  });

  it.each<[string, string, unknown]>([
    ['example_url', 'http', 'http://a.example.com'],
    ['example_url', 'an upper-case scheme', 'HTTPS://A.example.com/'],
    ['example_url', 'a port, a query and a fragment', 'http://localhost:8080/a%20b?c=d&e#f'],
    ['example_url', '2,048 characters', address(2_048)],
    ['traffic_allocation', '0 %', 0],
    ['traffic_allocation', 'the smallest share', 0.01],
    ['traffic_allocation', 'two decimals', 99.99],
    ['traffic_allocation', 'two decimals that are not a binary fraction', 0.07],
    ['traffic_allocation', 'one decimal', 33.3],
    ['traffic_allocation', '100 %', 100],
    ['audiences_match_type', 'all', 'all'],
    ['audiences_match_type', 'any', 'any'],
    ['tags', 'an empty list', []],
    ['tags', '50 tags', manyTags(50)],
    ['tags', 'of 50 characters', ['t'.repeat(50), astral(50)]],
    ['tags', 'in any order and case', ['b', 'B', 'a', 'é', 'e\u0301', 'comma, semicolon;']],
    ['minimum_effect', 'a decrease', -100],
    ['minimum_effect', 'the smallest effect', 0.01],
    ['minimum_effect', 'the largest effect', 1_000],
    ['minimum_effect', 'null', null],
    ['planned_participants', 'two', 2],
    ['planned_participants', 'the largest number', 1_000_000_000],
    ['planned_participants', 'null', null],
    ['planned_end', 'a leap day', '2096-02-29'],
    ['planned_end', 'null', null],
    ['js', 'empty', ''],
    ['js', 'in current syntax', 'const { a = 1n, ...b } = c?.d ?? {}; class X { #y = async () => {} }'],
    ['js', '256 KiB', scriptOf(256 * KIB)],
    ['js', 'blanks and line breaks as sent', '\r\n\t f()  \n'],
    ['reset_js', '256 KiB', scriptOf(256 * KIB)],
    ['css', 'empty', ''],
    ['css', '256 KiB', scriptOf(256 * KIB)],
    [
      'css',
      'in current syntax',
      '@layer a { .b { &:hover { color: oklch(50% 0.1 20) } } } @container (width > 1px) { a { b: c } }',
    ],
  ])('%s can be %s', async (field, _, value) => {
    const updated = await scene.client.put(made.path, { [field]: value });
    expect([updated.status, updated.body[field]]).toEqual([200, value]);
    expect((await scene.client.get(made.path)).body[field]).toEqual(value);
    const created = await scene.make.experiment({ [field]: value });
    expect(created[field]).toEqual(value);
  });

  it.each<[string, string, unknown, string]>([
    ['example_url', 'empty', '', 'example_url'],
    ['example_url', '2,049 characters', address(2_049), 'example_url'],
    ['example_url', 'relative', '/products', 'example_url'],
    ['example_url', 'without a scheme', 'a.example.com', 'example_url'],
    ['example_url', 'without a host', 'https://', 'example_url'],
    ['example_url', 'a script', 'javascript:alert(1)', 'example_url'],
    ['example_url', 'of another scheme', 'ftp://a.example.com/', 'example_url'],
    ['example_url', 'a file', 'file:///etc/passwd', 'example_url'],
    ['example_url', 'data', 'data:text/html,x', 'example_url'],
    ['example_url', 'with blanks in the host', 'https://a b.example.com/', 'example_url'],
    ['example_url', 'a number', 5, 'example_url'],
    ['example_url', 'with NUL', 'https://a.example.com/\0', 'example_url'],
    ['example_url', 'with a lone surrogate', 'https://a.example.com/\ud800', 'example_url'],
    ['traffic_allocation', 'above the maximum', 100.01, 'traffic_allocation'],
    ['traffic_allocation', 'below the minimum', -0.01, 'traffic_allocation'],
    ['traffic_allocation', 'a number with three decimal places', 33.333, 'traffic_allocation'],
    ['traffic_allocation', 'a small number with three decimal places', 0.001, 'traffic_allocation'],
    ['traffic_allocation', 'a number with many decimal places', 12.340000001, 'traffic_allocation'],
    ['traffic_allocation', 'text', '50', 'traffic_allocation'],
    ['traffic_allocation', 'true', true, 'traffic_allocation'],
    ['audiences_match_type', 'another word', 'some', 'audiences_match_type'],
    ['audiences_match_type', 'in another case', 'ANY', 'audiences_match_type'],
    ['tags', '51 tags', manyTags(51), 'tags'],
    ['tags', 'of 51 characters', ['ok', 't'.repeat(51)], 'tags.1'],
    ['tags', 'of 51 characters of two UTF-16 units', [astral(51)], 'tags.0'],
    ['tags', 'with an empty tag', ['ok', ''], 'tags.1'],
    ['tags', 'with a blank tag', [' \t'], 'tags.0'],
    ['tags', 'with a duplicate', ['a', 'b', 'a'], 'tags.2'],
    ['tags', 'with a duplicate after trimming', ['a', ' a '], 'tags.1'],
    ['tags', 'numbers', [1], 'tags.0'],
    ['tags', 'with NUL', ['a\0'], 'tags.0'],
    ['tags', 'with a lone surrogate', ['\udfff'], 'tags.0'],
    ['tags', 'text', 'a,b', 'tags'],
    ['tags', 'an object', { 0: 'a' }, 'tags'],
    ['minimum_effect', 'zero', 0, 'minimum_effect'],
    ['minimum_effect', 'below the minimum', -100.01, 'minimum_effect'],
    ['minimum_effect', 'above the maximum', 1_000.01, 'minimum_effect'],
    ['minimum_effect', 'a number with three decimal places', 1.005, 'minimum_effect'],
    ['minimum_effect', 'text', '5', 'minimum_effect'],
    ['planned_participants', 'one', 1, 'planned_participants'],
    ['planned_participants', 'a fraction', 100.5, 'planned_participants'],
    ['planned_participants', 'above the maximum', 1_000_000_001, 'planned_participants'],
    ['planned_participants', 'text', '100', 'planned_participants'],
    ['planned_end', 'a day that does not exist', '2095-02-29', 'planned_end'],
    ['planned_end', 'a moment', '2095-02-01T00:00:00Z', 'planned_end'],
    ['planned_end', 'a number', 40_000, 'planned_end'],
    ['planned_end', 'in the past', '2026-05-01', 'planned_end'],
    ['js', 'a number', 1, 'js'],
    ['js', 'a list', ['f()'], 'js'],
    ['js', 'larger than 256 KiB', scriptOf(256 * KIB + 1), 'js'],
    ['js', 'larger than 256 KiB in UTF-8', `/*${astral(64 * KIB)}*/`, 'js'],
    ['js', 'with NUL', 'f()\0', 'js'],
    ['js', 'with a lone surrogate', '"\ud800"', 'js'],
    ['reset_js', 'larger than 256 KiB', scriptOf(256 * KIB + 1), 'reset_js'],
    ['css', 'larger than 256 KiB', scriptOf(256 * KIB + 1), 'css'],
    ['css', 'a number', 1, 'css'],
    ['css', 'with NUL', 'a {}\0', 'css'],
    ['audiences', 'a number', 1, 'audiences'],
    ['variations', 'a number', 1, 'variations'],
    ['variations', 'a list of texts', ['A'], 'variations.0'],
  ])('%s cannot be %s', async (field, _, value, path) => {
    const before = (await scene.client.get(made.path)).body;
    const created = await scene.client.post(`${scene.project}/experiments`, {
      name: 'Refused',
      [field]: value,
    });
    expect(Object.keys(errorsOf(created))).toEqual([path]);
    const updated = await scene.client.put(made.path, { [field]: value });
    expect(Object.keys(errorsOf(updated))).toEqual([field === 'variations' ? field : path]);
    expect((await scene.client.get(made.path)).body).toEqual(before);
  });

  it.each([
    ['js', 'let a = 1;\nlet b = ;', 2, 9],
    ['js', 'import x from "y";', 1, 1],
    ['js', 'return 1;', 1, 1],
    ['reset_js', '\n\n  function (', 3, 12],
    ['css', 'a { color: red }\nb { color: }}', 2, 13],
  ])(
    '%s that does not parse is rejected, with an error that contains the line and column',
    async (field, code, line, column) => {
      for (const answer of [
        await scene.client.put(made.path, { [field]: code }),
        await scene.client.post(`${scene.project}/experiments`, { name: 'Refused', [field]: code }),
      ]) {
        const errors = errorsOf(answer);
        expect(Object.keys(errors)).toEqual([field]);
        expect(errors[field][0]).toMatch(new RegExp(`line ${line}, column ${column}\\b`));
      }
    },
  );

  it('have error messages as in the API contract', async () => {
    const answer = await scene.client.post(`${scene.project}/experiments`, {
      variations: [{ name: 'A', traffic_allocation: 101 }],
    });
    expect(answer.body).toEqual({
      message: 'The name field is required. (and 1 more error)',
      code: 'VALIDATION_FAILED',
      errors: {
        name: ['The name field is required.'],
        'variations.0.traffic_allocation': ['The traffic allocation must be between 0 and 100.'],
      },
    });
  });
});
