import { execFileSync } from 'node:child_process';
import { curlCommand, shellWord } from './curl';

it.each(['plain', 'two words', "it's", '"quoted"', '$HOME `id` \\', 'a;b&c|d', '', '\n', '{"a":1}'])(
  'quotes %j as one shell word',
  (text) => {
    const printed = execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' });
    expect(printed).toBe(text);
  },
);

describe('curlCommand', () => {
  it('contains the URL, token and body', () => {
    const call = { method: 'PATCH', path: '/api/projects/1', body: { name: "Anna's" } } as const;
    expect(curlCommand('https://ab.example.com', call).split(' \\\n  ')).toEqual([
      'curl -sS -X PATCH https://ab.example.com/api/projects/1',
      '-H "Authorization: Bearer $GOSSET_TOKEN"',
      "-H 'Content-Type: application/json'",
      `-d '{"name":"Anna'\\''s"}'`,
    ]);
  });

  it('contains the If-Match condition of a form', () => {
    const call = { method: 'DELETE', path: '/api/x', ifMatch: '"ab-1.2"' } as const;
    expect(curlCommand('https://ab.example.com', call)).toContain(`-H 'If-Match: "ab-1.2"'`);
  });

  it('omits a missing body', () => {
    const command = curlCommand('https://ab.example.com', { method: 'PATCH', path: '/api/x' });
    expect(command).not.toMatch(/Content-Type|-d/);
  });
});
