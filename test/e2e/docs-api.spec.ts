import { itSaysWhatIsSo } from '../support/document-checks';

describe('docs/api.md', () => itSaysWhatIsSo('docs/api.md'));
