import { prefersJson } from './media-types';

it.each([
  ['application/json', true],
  ['application/json, text/plain, */*', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/*', true],
  ['text/html;q=0.5, application/json', true],
  ['application/json;q=0.5, text/html', false],
  ['application/json, text/html', false],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
  ['*/*', false],
  ['', false],
  ['nonsense', false],
  [undefined, false],
])('%s', (accept, json) => {
  expect(prefersJson(accept)).toBe(json);
});
