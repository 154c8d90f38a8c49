import { dayNumber } from '../../test/support/cells';
import type { ResultFilter } from '../results/experiment-results';
import { filterWords, isFiltered } from './filter-words';

const [first, last] = [dayNumber('2026-05-01'), dayNumber('2026-05-14')];

it.each<[ResultFilter, string]>([
  [{ start: null, end: null, devices: null }, 'All participants, on all devices.'],
  [{ start: null, end: null, devices: ['mobile'] }, 'All participants, on mobile devices.'],
  [
    { start: first, end: null, devices: null },
    'Participants who entered from 1 May 2026 on, on all devices.',
  ],
  [
    { start: null, end: last, devices: ['desktop', 'tablet', 'other'] },
    'Participants who entered until 14 May 2026 and what they did by then, on desktop, tablet or other devices.',
  ],
  [
    { start: first, end: last, devices: null },
    'Participants who entered from 1 May 2026 until 14 May 2026 and what they did by then, on all devices.',
  ],
  [
    { start: first, end: first, devices: null },
    'Participants who entered on 1 May 2026 and what they did by then, on all devices.',
  ],
])('%j', (filter, words) => {
  expect(filterWords(filter)).toBe(words);
  expect(isFiltered(filter)).toBe(filter.start !== null || filter.end !== null || filter.devices !== null);
});
