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

  /** Later callers do not share work that has already started. */
  forget(): void {
    this.underWay.clear();
  }
}
