import { fieldOf, messageInWords } from './field-words';

it.each([
  ['The url must begin with https://.', 'url', 'Address', '“Address” must begin with https://.'],
  ['The name field is required.', 'name', 'Name', '“Name” is required.'],
  ['The page id field may not be null.', 'page_id', 'Page', '“Page” may not be null.'],
  ['The note must be a text.', 'decision.note', 'Reasons', '“Reasons” must be a text.'],
  ['The tags may have two entries.', 'tags.0', 'Labels', '“Labels” may have two entries.'],
  ['The url must differ.', 'name', 'Name', 'The url must differ.'],
  ['The names must differ.', 'name', 'Name', 'The names must differ.'],
  ['Choose another one.', 'name', 'Name', 'Choose another one.'],
])('writes %j about %s, labelled %s, as %j', (message, path, label, expected) => {
  expect(messageInWords(message, path, label)).toBe(expected);
});

it('finds the field for a path inside its value', () => {
  expect(['tags.0', 'conditions.12.value', 'decision.note', 'name'].map(fieldOf)).toEqual([
    'tags',
    'conditions',
    'decision.note',
    'name',
  ]);
});
