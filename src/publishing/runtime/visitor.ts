import { newId } from './ids';
import { Assignment, mergeRecords, newRecord, VisitorRecord, withAssignment } from './visitor-record';
import type { VisitorStores } from './visitor-stores';

const NEW_FOR_MS = 30 * 60_000;

export interface Exposure {
  visitor: string;
  experiment: number;
  variation: number;
}

/** The visitor in this browser. If there is no storage, the data lasts only as long as the page, see `isRemembered`. */
export class Visitor {
  private record: VisitorRecord;
  private isIdUsed = false;
  private isSaved = false;
  private isOver = false;
  private wasStored = false;
  /** Whether the page has set the id. */
  private isGiven: boolean;
  /** The exposures that this page has reported, each as `<experiment id> <variation id>`. */
  private readonly reported = new Set<string>();
  /**
   * Whether the shared record was missing, although it can be stored. Events that an earlier page has queued are then
   * those of a visitor who withdrew consent on a different subdomain.
   */
  readonly isUnknown: boolean;

  /**
   * @param givenId the visitor's id, if the page sets it
   * @param onForgotten called when `check` finds that a different page has deleted the record
   */
  constructor(
    private readonly stores: VisitorStores,
    givenId: string | null,
    private readonly onForgotten: () => void,
  ) {
    const now = Date.now();
    const stored = stores.read(now);
    const known = givenId === null || givenId === stored?.id ? stored : null;
    this.isGiven = givenId !== null;
    this.record = { ...(known ?? newRecord(givenId ?? newId(), now)), seen: now };
    this.store();
    this.isUnknown = stores.isShared && stored === null && this.wasStored;
  }

  /** Reading the id marks it as in use. */
  get id(): string {
    this.isIdUsed = true;
    return this.record.id;
  }

  /**
   * Whether later pages can use this id, because the browser has stored it or the page sets it. Otherwise, each page view
   * would be another participant, possibly with another variation.
   */
  get isRemembered(): boolean {
    return this.isGiven || this.wasStored;
  }

  /** The time when the id was created, in milliseconds since 1970. */
  get since(): number {
    return this.record.since;
  }

  get isNew(): boolean {
    return Date.now() - this.since < NEW_FOR_MS;
  }

  /** @returns false if a different id is already in use. An id that is not kept can be replaced at any time. */
  become(id: string): boolean {
    if (id === this.record.id) {
      this.isGiven = true;
      return true;
    }
    if (this.isIdUsed && this.isRemembered) {
      return false;
    }
    this.record = newRecord(id, Date.now());
    this.isGiven = true;
    this.isSaved = false;
    this.store();
    return true;
  }

  /** Whether a different page has deleted the record because the visitor withdrew consent there. */
  get isForgotten(): boolean {
    return this.wasStored && this.stores.read(Date.now()) === null;
  }

  /** Whether a page that loads now would not have this id, because a different page has deleted or replaced it. */
  get isReplaced(): boolean {
    const stored = this.stores.read(Date.now());
    return this.wasStored && (stored === null || (!this.isGiven && stored.id !== this.record.id));
  }

  /**
   * Detects that the visitor has withdrawn consent on a different subdomain. A record that is not shared can also be
   * missing because the page has emptied localStorage.
   */
  check(): void {
    if (this.stores.isShared && !this.isOver && this.isForgotten) {
      this.onForgotten();
    }
  }

  /**
   * Merges data that other pages have stored in the meantime. If another page has stored a different id, this page keeps
   * its own without storing it, because it shows the variations of that id.
   */
  refresh(): void {
    this.check();
    const stored = this.stores.read(Date.now());
    if (stored?.id === this.record.id) {
      this.record = mergeRecords(this.record, stored);
    } else if (stored !== null) {
      this.isSaved = true;
    }
  }

  kept(experiment: number): Assignment | undefined {
    return this.record.assignments.get(experiment);
  }

  keep(experiment: number, assignment: Assignment): void {
    this.record = withAssignment(this.record, experiment, assignment);
    this.isSaved = false;
  }

  /**
   * Called when the visitor sees a variation, which may differ from the stored one if the script is older or newer.
   * @param phase the phase of the script
   * @returns the phase of the exposure; undefined if this page has reported it, or the server has acknowledged it
   */
  expose(experiment: number, variation: number, phase: number): number | undefined {
    const kept = this.kept(experiment);
    const known = kept?.variation === variation ? kept : { phase, isExposed: false };
    const report = `${experiment} ${variation}`;
    const isReported = known.isExposed || this.reported.has(report);
    this.reported.add(report);
    return isReported ? undefined : known.phase;
  }

  /**
   * Called when the server has acknowledged exposures. Exposures that are not acknowledged are reported again by the
   * next page.
   */
  exposuresAcknowledged(exposures: readonly Exposure[]): void {
    this.refresh();
    if (this.isForgotten) {
      return;
    }
    let isOwn = false;
    for (const { visitor, experiment, variation } of exposures) {
      const kept = this.kept(experiment);
      if (visitor === this.record.id && kept?.variation === variation) {
        this.keep(experiment, { ...kept, isExposed: true });
        isOwn = true;
      }
    }
    // A prerendered page also sends the events of earlier pages. Its assignments must not be stored by that.
    if (isOwn) {
      this.save();
    }
  }

  /** Stores assignments and exposures, together with those that other pages have stored. */
  save(): void {
    this.refresh();
    this.store();
  }

  private store(): void {
    if (!this.isSaved && !this.isOver) {
      this.isSaved = true;
      this.stores.write(this.record);
      this.wasStored = this.stores.read(Date.now()) !== null;
    }
  }

  /** Stops storing data. */
  end(): void {
    this.isOver = true;
  }
}
