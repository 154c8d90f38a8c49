import type { GoalRecord } from '../../goals/goal.record';

/** The types of goals, in the words of pages. */
export const GOAL_TYPES: Readonly<Record<GoalRecord['type'], string>> = {
  custom: 'Event from your site or back end',
  pageview: 'View of a page',
  click: 'Click on an element',
};
