const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };

/** Calls back after changes of the document, while it is told to. */
export class DomWatch {
  private readonly observer: MutationObserver;

  constructor(onChange: () => void) {
    this.observer = new MutationObserver(onChange);
  }

  /** Begins, goes on or ends, and calls nobody for the changes that have been made just now. */
  watch(isWanted: boolean): void {
    this.observer.disconnect();
    if (isWanted) {
      this.observer.observe(document, EVERYTHING);
    }
  }
}
