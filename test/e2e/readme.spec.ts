import { testDocument } from '../support/document-checks';

describe('README.md', () => testDocument('README.md'));
