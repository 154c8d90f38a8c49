import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestApi } from '../support/api';
import { buildDocument } from '../../src/reference/reference';
import { clientSchema } from '../support/client-schema';

/* The types of the client are those of the server. `npm run client` writes them anew before it compares. */

const SCHEMA = join(__dirname, '../../clients/typescript/src/schema.ts');

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

it('the types of the client match the reference', () => {
  const made = clientSchema(buildDocument(api.app, api.config));
  if (process.env.GOSSET_WRITE_CLIENT === '1') {
    writeFileSync(SCHEMA, made);
  }
  if (readFileSync(SCHEMA, 'utf8') !== made) {
    throw new Error(
      'clients/typescript/src/schema.ts is not what the reference says. `npm run client` makes it anew.',
    );
  }
});
