import { itSaysWhatIsSo } from '../support/document-checks';

describe('docs/production.md', () => itSaysWhatIsSo('docs/production.md'));
