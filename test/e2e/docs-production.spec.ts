import { testDocument } from '../support/document-checks';

describe('docs/production.md', () => testDocument('docs/production.md'));
