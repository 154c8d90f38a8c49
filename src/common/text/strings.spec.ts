import { listed } from './strings';

it('joins lists with commas and a conjunction', () => {
  expect([listed([]), listed(['A']), listed(['A', 'B']), listed(['A', 'B', 'C'], 'or')]).toEqual([
    '',
    'A',
    'A and B',
    'A, B or C',
  ]);
});
