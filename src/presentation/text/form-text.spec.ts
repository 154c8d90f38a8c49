import { isAbout, linesOf, messageInWords, numberOrText, textOrNull } from './form-text';

it.each([
  ['12', 12],
  [' 12.5 ', 12.5],
  ['12,5', 12.5],
  ['−3', -3],
  ['+3', 3],
  ['', null],
  ['  ', null],
  ['ten', 'ten'],
  ['1e3', '1e3'],
  ['0,125', 0.125],
  ['1,000.5', '1,000.5'],
  ['10,000', '10,000'],
  ['10.000', '10.000'],
  ['-1,000', '-1,000'],
  ['0x10', '0x10'],
  ['20 000', 20_000],
  ['1\u202f234\u00a0567', 1_234_567],
  ['20 00', '20 00'],
  ['1 2345', '1 2345'],
])('reads %j as %j', (text, expected) => {
  expect(numberOrText(text)).toBe(expected);
});

it('reads absent and empty fields as null', () => {
  expect([numberOrText(), textOrNull(), textOrNull(' '), textOrNull(' a')]).toEqual([null, null, null, ' a']);
});

it('reads lines with any line ending, and skips empty lines', () => {
  expect(linesOf('one\r\n\r\n  two \nthree')).toEqual(['one', 'two', 'three']);
  expect(linesOf()).toEqual([]);
});

/** The name of the form field whose value contains the path. */
const fieldWith = (path: string): string => path.replace(/\.\d.*/, '');

it.each([
  ['The url must begin with https://.', 'url', 'Address', '“Address” must begin with https://.'],
  ['The name field is required.', 'name', 'Name', '“Name” is required.'],
  ['The page id field may not be null.', 'page_id', 'Page', '“Page” is required.'],
  [
    'The planned end 2020-01-01 is before the start: send 2026-11-27, a later day, or null.',
    'planned_end',
    'Planned last day (UTC)',
    '“Planned last day (UTC)” 2020-01-01 is before the start: enter 2026-11-27, a later day, or leave it empty.',
  ],
  [
    'The significance is a percentage between 50 and 99.99: send 95, not 0.95.',
    'significance',
    'Required confidence',
    '“Required confidence” is a percentage between 50 and 99.99: enter 95, not 0.95.',
  ],
  [
    'The planned participants cannot change after the first start: send 10000, or null to remove the plan.',
    'planned_participants',
    'Planned participants',
    '“Planned participants” cannot change after the first start: enter 10000, or leave it empty to remove the plan.',
  ],
  [
    'The planned end cannot change after the first start: send null.',
    'planned_end',
    'Planned last day (UTC)',
    '“Planned last day (UTC)” cannot change after the first start: leave it empty.',
  ],
  ['The note must be a string.', 'decision.note', 'Reasons', '“Reasons” must be a string.'],
  ['The tags may have two entries.', 'tags.0', 'Labels', '“Labels” may have two entries.'],
  ['The url must differ.', 'name', 'Name', 'The url must differ.'],
  ['The names must differ.', 'name', 'Name', 'The names must differ.'],
  ['Choose another one.', 'name', 'Name', 'Choose another one.'],
  ['The name is too long.', 'variations.2.name', 'Variations', '“Variations”: the name is too long.'],
])('rewrites %j about %s, labelled %s, as %j', (message, path, label, expected) => {
  expect(messageInWords(message, path, { name: fieldWith(path), label })).toBe(expected);
});

it.each([
  ['The name is too long.', 'variations.1.name', 'A\r\n\r\nLong', '“Long” in “Lines”: the name is too long.'],
  ['The tag is too long.', 'tags.0', 'One\nTwo', '“One” in “Lines”: the tag is too long.'],
  [
    'The tag is too long.',
    'tags.1',
    `A\n${'😀'.repeat(60)}`,
    `“${'😀'.repeat(40)}…” in “Lines”: the tag is too long.`,
  ],
  ['The tag is too long.', 'tags.0', 'Only one', 'The tag is too long.'],
  ['The tag is too long.', 'tags.2', 'One\nTwo', 'The tag is too long.'],
  ['The tags may have two entries.', 'tags', 'One\nTwo', '“Lines” may have two entries.'],
])('quotes the line that message %j at %s refers to, in %j', (message, path, text, expected) => {
  expect(messageInWords(message, path, { name: fieldWith(path), label: 'Lines', text })).toBe(expected);
});

it('quotes the line of a field that is itself a list entry', () => {
  const field = { name: 'conditions.2.value', label: 'Value of condition 2', text: 'mobile\ntv\ntablet' };
  const message = 'The value must be one of: desktop, mobile, tablet.';
  expect(
    ['conditions.2.value', 'conditions.2.value.1'].map((path) => messageInWords(message, path, field)),
  ).toEqual([
    '“Value of condition 2” must be one of: desktop, mobile, tablet.',
    '“tv” in “Value of condition 2”: the value must be one of: desktop, mobile, tablet.',
  ]);
});

it.each([
  ['3.125', 'The rate must be a number between 0.0001 and 99.9999.', '3125 or 3.125: enter 3125 or 3.1250.'],
  [' 10,000', 'The rate field must be a whole number.', '10000 or 10.000: enter 10000 or 10.0000.'],
  ['97.500', 'The rate is a percentage between 50 and 99.99.', '97500 or 97.500: enter 97500 or 97.5000.'],
])('says how %j can be read', (text, message, readings) => {
  const field = { name: 'rate', label: 'Rate', text };
  expect(messageInWords(message, 'rate', field)).toBe(`“Rate” can mean ${readings}`);
});

it('does not read other text as a number', () => {
  const field = { name: 'name', label: 'Name', text: '1.000' };
  expect(messageInWords('The name is in use.', 'name', field)).toBe('“Name” is in use.');
});

it('finds the messages about a field and its parts', () => {
  const paths = ['tags', 'tags.0', 'tags.0.name', 'tags_more', 'note.tags'];
  expect(paths.filter((path) => isAbout(path, 'tags'))).toEqual(['tags', 'tags.0', 'tags.0.name']);
});
