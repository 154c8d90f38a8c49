'use strict';

/*
 * Loaded into a server before anything else (node --require): its system clock stands at CLOCK_STOPPED_AT
 * (milliseconds), so that two servers answer the same at different times. Timers go on.
 */
const RealDate = Date;
const stoppedAt = Number(process.env.CLOCK_STOPPED_AT);

class StoppedDate extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [stoppedAt] : given));
  }

  static now() {
    return stoppedAt;
  }
}

globalThis.Date = StoppedDate;
