import { COMPONENTS } from './styles/components';
import { CONSOLE } from './styles/console';
import { FORMS } from './styles/forms';
import { FOUNDATION } from './styles/foundation';
import { NARROW } from './styles/narrow';
import { PLOTS } from './styles/plots';
import { PRINT } from './styles/print';
import { RESULTS } from './styles/results';

/** The one style sheet of all pages, in light and dark, for screens of any width and for paper. */
export const STYLESHEET = [FOUNDATION, COMPONENTS, PLOTS, RESULTS, FORMS, CONSOLE, NARROW, PRINT]
  .join('\n')
  .replace(/\n\s*/g, '\n')
  .trim();
