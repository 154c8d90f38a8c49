'use strict';

/*
 * Preloaded into a server (node --require): sets its system clock forward or back by the number of milliseconds in the
 * file CLOCK_SHIFT_FILE. Monotonic clocks and timers are not affected, just as when a real clock is changed.
 */
const { readFileSync } = require('node:fs');

const LOOK_EVERY_MS = 20;
const RealDate = Date;
let shift = 0;

const look = () => {
  try {
    shift = Number(readFileSync(process.env.CLOCK_SHIFT_FILE, 'utf8')) || 0;
  } catch {
    shift = 0;
  }
};

class ShiftedDate extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + shift] : given));
  }

  static now() {
    return RealDate.now() + shift;
  }
}

globalThis.Date = ShiftedDate;
look();
setInterval(look, LOOK_EVERY_MS).unref();
