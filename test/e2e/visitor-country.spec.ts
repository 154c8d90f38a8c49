import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { InjectOptions } from 'fastify';
import { TestApi } from '../support/api';
import { countryFile } from '../support/country-file';
import { useScene } from '../support/scene';

/* Visitor countries from a proxy header and from a database, and their use in conditions. */

const folder = mkdtempSync(join(tmpdir(), 'gosset-country-'));
const FILE = join(folder, 'countries.mmdb');
writeFileSync(FILE, countryFile({ '192.0.2.0/24': 'CH', '198.51.100.0/24': 'XX', '2001:db8::/32': 'JP' }));
afterAll(() => rmSync(folder, { recursive: true }));

const scene = useScene({
  TRUST_PROXY: '127.0.0.1',
  COUNTRY_HEADER: 'CF-IPCountry',
  GEOIP_DATABASE: FILE,
});

let key: string;
beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
});

/** Requests the country of the visitor, as a browser does. */
async function ask(headers: Record<string, string>, options: InjectOptions = {}, api: TestApi = scene.api) {
  const url = `/v1/visitor?client_key=${key}`;
  return api.app.inject({ method: 'GET', url, headers, ...options });
}

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });

describe('the country of a visitor', () => {
  it.each([
    ['192.0.2.7', 'CH'],
    ['::ffff:192.0.2.7', 'CH'],
    ['2001:db8::1', 'JP'],
    ['198.51.100.1', null],
    ['203.0.113.1', null],
  ])('of %s is %s according to the database', async (address, country) => {
    const answer = await ask(from(address));
    expect([answer.statusCode, answer.json()]).toEqual([200, { country }]);
  });

  it.each([
    ['DE', 'DE'],
    ['de', 'DE'],
    ['XX', 'CH'],
    ['T1', 'CH'],
    ['UK', 'CH'],
    ['Germany', 'CH'],
    ['DE, FR', 'CH'],
    ['', 'CH'],
    ['D'.repeat(5_000), 'CH'],
  ])('with the header %.20j from Switzerland is %s', async (header, country) => {
    expect((await ask({ ...from('192.0.2.7'), 'cf-ipcountry': header })).json()).toEqual({ country });
  });

  it('does not come from the header of a client that is not a trusted proxy', async () => {
    const answer = await ask({ 'cf-ipcountry': 'DE' }, { remoteAddress: '192.0.2.9' });
    expect(answer.json()).toEqual({ country: 'CH' });
  });

  it('is returned with CORS headers, and without caching or cookies', async () => {
    const { headers } = await ask(from('192.0.2.7'));
    expect(headers).toMatchObject({
      'cache-control': 'private, no-store',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it('requires a known client key', async () => {
    expect((await ask({}, { url: '/v1/visitor' })).statusCode).toBe(401);
    expect((await ask({}, { url: '/v1/visitor?client_key=pk_nobody' })).statusCode).toBe(401);
  });

  it('changes if the database file is replaced, as soon as the new file is valid', async () => {
    const replace = (content: Buffer): void => {
      writeFileSync(`${FILE}.new`, content);
      renameSync(`${FILE}.new`, FILE);
    };
    const country = async (): Promise<unknown> => (await ask(from('192.0.2.7'))).json().country;
    const now = performance.now.bind(performance);
    let ahead = 0;
    // Stays ahead for the rest of this file, because a monotonic clock never goes back.
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const becomes = async (expected: string): Promise<void> => {
      for (let count = 0; count < 1_000 && (await country()) !== expected; count += 1) {
        ahead += 60_000;
        await sleep(10);
      }
      expect(await country()).toBe(expected);
    };
    replace(countryFile({ '192.0.2.0/24': 'AT' }));
    await becomes('AT');
    const next = countryFile({ '192.0.2.0/24': 'FR' });
    const time = new Date('2026-05-01');
    writeFileSync(FILE, Buffer.alloc(next.length));
    utimesSync(FILE, time, time);
    for (let count = 0; count < 5; count += 1) {
      ahead += 60_000;
      expect(await country()).toBe('AT');
      await sleep(10);
    }
    expect(warnings).toHaveBeenCalledTimes(1);
    // The file looks the same as the one that could not be read.
    writeFileSync(FILE, next);
    utimesSync(FILE, time, time);
    await becomes('FR');
    warnings.mockRestore();
  });

  it.each([
    ['is missing', join(folder, 'missing.mmdb')],
    ['is not a database', __filename],
  ])('needs a valid database: the server does not start, and says why, if the file %s', async (_, file) => {
    await expect(TestApi.start({ GEOIP_DATABASE: file })).rejects.toThrow(
      `GEOIP_DATABASE ${file} cannot be used: `,
    );
  });
});

describe('a condition on the country', () => {
  it.each([['de'], ['UK'], ['XX'], ['Germany'], [5]])('cannot have the value %j', async (value) => {
    const conditions = { type: 'country', value };
    const { status, body } = await scene.client.post(`${scene.project}/audiences`, { name: 'A', conditions });
    expect([status, body.errors]).toEqual([
      422,
      { 'conditions.value': [expect.stringContaining('ISO 3166-1 alpha-2')] },
    ]);
  });

  it('applies to back ends that send the country', async () => {
    const conditions = { type: 'country', match: 'in', value: ['CH', 'AT'] };
    const audience = await scene.make.audience({ conditions });
    const { id } = await scene.make.withStatus('running', { audiences: [audience.id] });
    const decided = async (user: object): Promise<string> => {
      const url = `/v1/decide?client_key=${key}`;
      const payload = { user: { id: 'visitor-1', ...user }, selector: { experiments: [id] }, record: false };
      const answer = await scene.api.app.inject({ method: 'POST', url, payload });
      return answer.json<{ experiments: { reason: string }[] }>().experiments[0]?.reason ?? '';
    };
    expect(await decided({ country: 'CH' })).toBe('assigned');
    expect(await decided({ country: 'at' })).toBe('assigned');
    expect(await decided({ attributes: { country: 'CH' } })).toBe('assigned');
    expect(await decided({ attributes: { country: 'ch' } })).toBe('assigned');
    expect(await decided({ country: 'DE' })).toBe('audience');
    expect(await decided({ country: 'XX' })).toBe('audience');
    expect(await decided({})).toBe('audience');
    const { snippet_url } = (await scene.client.get(scene.project)).body as { snippet_url: string };
    const script = await scene.api.app.inject({ url: new URL(snippet_url).pathname });
    expect(script.payload).toContain('/v1/visitor');
  });
});
