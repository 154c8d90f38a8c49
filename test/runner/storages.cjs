'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

/** `AsyncLocalStorage` instances that were used since the last call of `disableStorages`. */
const storages = new Set();
for (const name of ['run', 'enterWith']) {
  const use = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    storages.add(this);
    return use.apply(this, args);
  };
}

/** Disables all used storages, because Node copies the contents of each enabled storage to every new promise. */
exports.disableStorages = function disableStorages() {
  storages.forEach((storage) => storage.disable());
  storages.clear();
};
