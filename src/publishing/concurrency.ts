/** Deduplicates concurrent work by key: callers with the same key share one promise. */
export class InFlight<T> {
  private readonly underWay = new Map<string, Promise<T>>();

  share(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.underWay.get(key);
    if (known !== undefined) {
      return known;
    }
    const promise = work().finally(() => {
      if (this.underWay.get(key) === promise) {
        this.underWay.delete(key);
      }
    });
    this.underWay.set(key, promise);
    return promise;
  }

  /** Stops later callers from sharing work that is already running. */
  forget(): void {
    this.underWay.clear();
  }
}

/** A queue per key: runs jobs with the same key one after another, in order of arrival. */
export class Turns {
  private readonly last = new Map<number, Promise<void>>();

  run<T>(key: number, job: () => Promise<T>): Promise<T> {
    const done = (this.last.get(key) ?? Promise.resolve()).then(job);
    const over: Promise<void> = done.then(
      () => this.leave(key, over),
      () => this.leave(key, over),
    );
    this.last.set(key, over);
    return done;
  }

  /** Deletes the key if no further job is waiting. */
  private leave(key: number, over: Promise<void>): void {
    if (this.last.get(key) === over) {
      this.last.delete(key);
    }
  }
}
