import { buildDocument } from '../../src/platform/reference/reference';
import { TestApi } from '../support/api';
import { clientSchema } from '../support/client-schema';
import { documentNames } from '../support/documents';
import { expectGenerated } from '../support/generated';
import {
  withContents,
  withMigrations,
  withResourceTools,
  withSettings,
  withTableOfSettings,
} from '../support/generated-parts';

/* Generated files match their sources. `npm run generate` writes them. */

describe('generated', () => {
  it.each<[string, (text: string) => string]>([
    ['.env.example', withSettings],
    ['docs/production.md', withTableOfSettings],
    ['docs/mcp.md', withResourceTools],
    ['src/database/migrations/index.ts', withMigrations],
  ])('%s', expectGenerated);

  it.each(documentNames())('the list of sections in %s', (name) => expectGenerated(name, withContents));

  it('the types of the client', async () => {
    const api = await TestApi.start();
    try {
      const document = buildDocument(api.app, api.config);
      expectGenerated('clients/typescript/src/schema.ts', () => clientSchema(document));
    } finally {
      await api.close();
    }
  });
});
