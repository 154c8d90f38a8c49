import { testDocument } from '../support/document-checks';

describe('docs/api.md', () => testDocument('docs/api.md'));
