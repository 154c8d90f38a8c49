import { itSaysWhatIsSo } from '../support/document-checks';

describe('README.md', () => itSaysWhatIsSo('README.md'));
