import type { Estimate } from './means';
import type { Interval } from './result';

/** A control that is not at least this many standard errors away from 0 makes the expansion doubtful. */
const ENOUGH_STANDARD_ERRORS = 4;

export interface RelativeUplift {
  /** (variation - control) / |control|: 0.07 is 7 % more. Not clipped at -1. */
  uplift: number;
  standardError: number;
  interval: Interval;
  /** Is the control too close to 0, measured in its standard errors, to trust the interval? */
  isUnstable: boolean;
}

/** A difference relative to the size of the control, (variation - control) / |control|; null for a control of 0. */
export function upliftOf(difference: number, control: number): number | null {
  return control === 0 ? null : difference / Math.abs(control);
}

/**
 * The uplift with its error by the delta method (Deng, Knoblich, Lu 2018, KDD); null for a control of 0.
 *
 * @param difference variation - control, which the caller may know more exactly than the two estimates tell.
 * @param critical how many standard errors the interval reaches to each side.
 */
export function relativeUplift(
  control: Estimate,
  variation: Estimate,
  difference: number,
  critical: number,
): RelativeUplift | null {
  const uplift = upliftOf(difference, control.value);
  if (uplift === null) {
    return null;
  }
  const size = Math.abs(control.value);
  const controlError = Math.sqrt(control.variance);
  const ratio = variation.value / control.value;
  const standardError = Math.hypot(Math.sqrt(variation.variance), controlError * ratio) / size;
  return {
    uplift,
    standardError,
    interval: [uplift - critical * standardError, uplift + critical * standardError],
    isUnstable: size < ENOUGH_STANDARD_ERRORS * controlError,
  };
}
