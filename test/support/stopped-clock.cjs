'use strict';

/*
 * Preloaded into a server (node --require): freezes its system clock at CLOCK_STOPPED_AT (Unix time in milliseconds),
 * so two servers return the same responses at different times. Timers keep running.
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
