'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

/** Storages that were used since the last call of `disableStorages`. */
const storages = new Set();
for (const name of ['run', 'enterWith']) {
  const use = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    storages.add(this);
    return use.apply(this, args);
  };
}

/** Node notes on every new promise what each storage holds that was ever used, until the storage is disabled. */
exports.disableStorages = function disableStorages() {
  storages.forEach((storage) => storage.disable());
  storages.clear();
};
