/** A record of an export has no equivalent in Gosset. The message explains why. */
export class NoEquivalent extends Error {}
