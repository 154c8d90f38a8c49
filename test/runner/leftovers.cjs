'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { monitorEventLoopDelay, PerformanceObserver } = require('node:perf_hooks');

/** What was used since the last call of `stopLeftovers`, with the function that stops it. */
const used = new Map();

/** Notes each object whose method is called. */
function note(prototype, name, stop) {
  const method = prototype[name];
  prototype[name] = function (...args) {
    used.set(this, stop);
    return method.apply(this, args);
  };
}

// Node copies the contents of each enabled storage to every new promise.
for (const name of ['run', 'enterWith']) {
  note(AsyncLocalStorage.prototype, name, (storage) => storage.disable());
}
// The metrics of an application observe garbage collection and the event loop until the process ends. Node keeps these
// observers in memory, and with them the application.
note(PerformanceObserver.prototype, 'observe', (observer) => observer.disconnect());
note(Object.getPrototypeOf(monitorEventLoopDelay()), 'enable', (histogram) => histogram.disable());

/** Stops what applications leave running, because their process usually ends with them. */
exports.stopLeftovers = function stopLeftovers() {
  used.forEach((stop, object) => stop(object));
  used.clear();
};
