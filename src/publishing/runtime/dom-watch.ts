const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };

/** Calls back after changes of the document while it is active. */
export class DomWatch {
  private readonly observer: MutationObserver;

  constructor(onChange: () => void) {
    this.observer = new MutationObserver(onChange);
  }

  /** Starts, continues or stops. Changes that were made before this call are ignored. */
  watch(isWanted: boolean): void {
    this.observer.disconnect();
    if (isWanted) {
      this.observer.observe(document, EVERYTHING);
    }
  }
}
