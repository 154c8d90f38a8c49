import { Day, dayOf, type Micros } from '../common/time/clock';
import type { AttachedGoal } from './experiment-facts';
import type { ResultFilter } from './experiment-results';

/** The part of a goal's cells that counts under a filter. */
export interface CountedGoal {
  id: number;
  /** The conversion window in days after the day of entry; null without a limit. */
  windowDays: number | null;
  /** The last day of entry; null for all. */
  lastEntry: Day | null;
}

/**
 * A participant's conversion window is over when its last UTC day is over, both in the filter's range and at `asOf`.
 * Mature cohorts are the participants whose window is over; without a window, all participants.
 */
export function countedGoal(
  { id, conversion_window_days }: Pick<AttachedGoal, 'id' | 'conversion_window_days'>,
  { end, cohorts }: Pick<ResultFilter, 'end' | 'cohorts'>,
  asOf: Micros,
): CountedGoal {
  const lastDay = Math.min(end ?? Infinity, dayOf(asOf) - 1);
  const isLimited = cohorts === 'mature' && conversion_window_days !== null;
  return {
    id,
    windowDays: conversion_window_days,
    lastEntry: isLimited ? lastDay - conversion_window_days : null,
  };
}

/** Whether the participants who entered on this day count. */
export const countsEntry = ({ lastEntry }: CountedGoal, day: Day | null): boolean =>
  lastEntry === null || (day !== null && day <= lastEntry);
