/**
 * Percent of the participants. Some crossovers are due to deleted cookies; more of them mean that visitors are not
 * recognised.
 */
const MAX_CROSSOVERS_PERCENT = 1;

/** Whether crossovers are so frequent that the measured difference is too small. */
export const hasManyCrossovers = (counted: { participants: number; crossovers: number }): boolean =>
  100 * counted.crossovers > MAX_CROSSOVERS_PERCENT * counted.participants;
