/** Of the participants. More crossovers than those of people who clear their cookies mean that visitors are not recognised. */
const MAX_CROSSOVERS_PERCENT = 1;

/** Do so many participants see several variations that the difference is understated? */
export const hasManyCrossovers = (counted: { participants: number; crossovers: number }): boolean =>
  100 * counted.crossovers > MAX_CROSSOVERS_PERCENT * counted.participants;
