import { validateSync } from 'class-validator';
import { CodeField, PercentField, TextField } from './body-fields';
import { checkScript } from './code';
import { submit } from './submission';

class Body {
  @TextField(5, { min: 1, description: 'A name.', required: true })
  name: string;

  @PercentField(0, 100, { description: 'A share.', nullable: true })
  share?: number | null;

  @CodeField(checkScript, { description: 'A script.' })
  js?: string;
}

const told = (body: object): string[] =>
  submit(Body, null, body)
    .failures()
    .all.map(({ path, message }) => `${path}: ${message}`);

it.each<[string, object, string[]]>([
  ['no fields', {}, ['name: The name field is required.']],
  [
    'null',
    { name: null, share: null, js: null },
    ['name: The name field is required.', 'js: The js field may not be null.'],
  ],
  [
    'a value that breaks several rules',
    { name: '\0\ud800xxxxx' },
    ['name: The name may not contain NUL characters.'],
  ],
  [
    'values of the wrong type',
    { name: 5, share: '5' },
    ['name: The name must be a string.', 'share: The share must be a number between 0 and 100.'],
  ],
  [
    'too many decimal places',
    { name: 'x', share: 0.125 },
    ['share: The share may have at most two decimal places.'],
  ],
  ['the maximum number of characters', { name: '\u{1f600}'.repeat(5) }, []],
])('reports the first rule that a field breaks, for %s', (_, body, messages) => {
  expect(told(body)).toEqual(messages);
});

it('does not treat `$value` in code as a placeholder', () => {
  expect(told({ name: 'x', js: 'let $value; let $value;' })).toEqual([
    expect.stringMatching(/^js: .*'\$value' has already been declared/),
  ]);
});

it('makes each rule a class-validator constraint with its own message', () => {
  const body = Object.assign(new Body(), { name: 'too long', share: 101 });
  expect(validateSync(body, { stopAtFirstError: true }).map(({ constraints }) => constraints)).toEqual([
    { maxLength: 'The name may not be longer than 5 characters.' },
    { isBetween: 'The share must be between 0 and 100.' },
  ]);
});
