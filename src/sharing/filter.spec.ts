import { dayNumber } from '../../test/support/cells';
import type { ResultFilter } from '../results/experiment-results';
import { EVERYBODY } from '../results/result-filter';
import { filterWords, isFiltered } from './filter';

const [first, last] = [dayNumber('2026-05-01'), dayNumber('2026-05-14')];

it.each<[ResultFilter, string]>([
  [{ start: null, end: null, devices: null, cohorts: null }, 'All participants, on all devices.'],
  [{ start: null, end: null, devices: ['mobile'], cohorts: null }, 'All participants, on mobile devices.'],
  [
    { start: first, end: null, devices: null, cohorts: null },
    'Participants who entered from 1 May 2026 on, on all devices.',
  ],
  [
    { start: null, end: last, devices: ['desktop', 'tablet', 'other'], cohorts: null },
    'Participants who entered until 14 May 2026 and their conversions by then, on desktop, tablet or other devices.',
  ],
  [
    { start: first, end: last, devices: null, cohorts: null },
    'Participants who entered from 1 May 2026 until 14 May 2026 and their conversions by then, on all devices.',
  ],
  [
    { start: first, end: first, devices: null, cohorts: null },
    'Participants who entered on 1 May 2026 and their conversions by then, on all devices.',
  ],
  [
    { start: null, end: null, devices: null, cohorts: 'mature' },
    'All participants, on all devices. Goals with a conversion window include only participants whose window has ended.',
  ],
])('describes the filter %j', (filter, words) => {
  expect(filterWords(filter, true)).toBe(words);
  expect(isFiltered(filter, true)).toBe(
    filter.start !== null || filter.end !== null || filter.devices !== null || filter.cohorts !== null,
  );
});

it('does not describe mature cohorts as a restriction if no goal has a conversion window', () => {
  const filter: ResultFilter = { ...EVERYBODY, cohorts: 'mature' };
  expect(filterWords(filter, false)).toBe('All participants, on all devices.');
  expect(isFiltered(filter, false)).toBe(false);
  expect(isFiltered({ ...filter, devices: ['mobile'] }, false)).toBe(true);
});
