import { testDocument } from '../support/document-checks';
import { documentNames } from '../support/documents';

/** Documents with separate specs, because they take longest. */
const ELSEWHERE = ['README.md', 'docs/api.md', 'docs/cookbook.md', 'docs/production.md', 'docs/mcp.md'];

describe.each(documentNames().filter((name) => !ELSEWHERE.includes(name)))('%s', (name) => {
  testDocument(name);
});
