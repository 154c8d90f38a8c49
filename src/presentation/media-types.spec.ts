import { prefersJson, prefersNamed } from './media-types';

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
])('decides between JSON and HTML for Accept: %s', (accept, json) => {
  expect(prefersJson(accept)).toBe(json);
});

it.each([
  ['application/x-ndjson', true],
  ['Application/X-NDJSON; charset=utf-8', true],
  ['application/x-ndjson, application/json', true],
  ['application/x-ndjson, */*', true],
  ['application/x-ndjson, application/json;q=0.5', true],
  ['application/json, application/x-ndjson;q=0.5', false],
  ['application/x-ndjson;q=0.5, */*', false],
  ['application/x-ndjson;q=0', false],
  ['application/*', false],
  ['*/*', false],
  ['application/json', false],
  [undefined, false],
])('decides between NDJSON and JSON for Accept: %s', (accept, lines) => {
  expect(prefersNamed(accept, 'x-ndjson')).toBe(lines);
});
