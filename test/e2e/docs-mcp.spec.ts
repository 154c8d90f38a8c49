import { TOOLS } from '../support/assistant';
import { testDocument } from '../support/document-checks';
import { readDocument } from '../support/documents';

describe('docs/mcp.md', () => {
  testDocument('docs/mcp.md');

  it('lists the requirements of every tool', () => {
    const rows = readDocument('docs/mcp.md').match(/^\| `[a-z]+_.*$/gm) ?? [];
    const explained = rows.flatMap((row) => [...row.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
    expect(explained.sort()).toEqual(Object.values(TOOLS).flat().sort());
  });
});
