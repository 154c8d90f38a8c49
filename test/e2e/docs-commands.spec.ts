import { itSaysWhatIsSo } from '../support/document-checks';
import { documentNames } from '../support/documents';

/** They have specs of their own, because they take longest. */
const ELSEWHERE = ['README.md', 'docs/api.md', 'docs/cookbook.md', 'docs/production.md', 'docs/mcp.md'];

describe.each(documentNames().filter((name) => !ELSEWHERE.includes(name)))('%s', (name) => {
  itSaysWhatIsSo(name);
});
