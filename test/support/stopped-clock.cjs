'use strict';

/*
 * Preloaded into a server (node --require): freezes its system clock at CLOCK_STOPPED_AT
 * (milliseconds), so that two servers give the same responses at different times. Timers continue.
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
