import { v7 as newId } from 'uuid';
import { keptVariation, mergeRecords, newRecord, VisitorRecord, withAssignment } from './visitor-record';
import type { VisitorStores } from './visitor-stores';

const NEW_FOR_MS = 30 * 60_000;

export interface Exposure {
  visitor: string;
  experiment: number;
}

/** The visitor in this browser. If there is no storage, the data lasts only as long as the page. */
export class Visitor {
  private record: VisitorRecord;
  private isIdUsed = false;
  private isSaved = false;
  private isOver = false;
  private wasStored = false;
  /** The exposures that this page has reported, each as `<visitor id> <experiment id>`. */
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
    this.record = { ...(known ?? newRecord(givenId ?? newId(), now)), seen: now };
    this.save();
    this.isUnknown = stores.isShared && stored === null && this.wasStored;
  }

  /** Reading the id marks it as in use. */
  get id(): string {
    this.isIdUsed = true;
    return this.record.id;
  }

  get isNew(): boolean {
    return Date.now() - this.record.since < NEW_FOR_MS;
  }

  /** @returns false if a different id is already in use */
  become(id: string): boolean {
    if (id === this.record.id) {
      return true;
    }
    if (!this.isIdUsed) {
      this.record = newRecord(id, Date.now());
      this.isSaved = false;
      this.save();
    }
    return !this.isIdUsed;
  }

  /** Whether a different page has deleted the record because the visitor withdrew consent there. */
  get isForgotten(): boolean {
    return this.wasStored && this.stores.read(Date.now()) === null;
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

  /** Merges data that other pages have stored in the meantime. */
  refresh(): void {
    this.check();
    this.record = mergeRecords(this.record, this.stores.read(Date.now()));
  }

  keptVariation(experiment: number): number | undefined {
    const variation = keptVariation(this.record, experiment);
    return variation === undefined ? undefined : Number(variation);
  }

  keep(experiment: number, variation: number): void {
    this.record = withAssignment(this.record, experiment, variation);
    this.isSaved = false;
  }

  /** @returns false if this page has already reported the exposure, or the server has acknowledged it */
  expose(experiment: number): boolean {
    const report = `${this.record.id} ${experiment}`;
    const isFirst = !this.record.exposed.includes(experiment) && !this.reported.has(report);
    this.reported.add(report);
    return isFirst;
  }

  /**
   * Called when the server has acknowledged exposures. Exposures that are not acknowledged are reported again by the
   * next page.
   */
  exposuresAcknowledged(exposures: readonly Exposure[]): void {
    this.refresh();
    const { id, exposed } = this.record;
    const own = exposures.filter(({ visitor }) => visitor === id).map(({ experiment }) => experiment);
    if (own.length > 0 && !this.isForgotten) {
      this.record = { ...this.record, exposed: [...new Set([...exposed, ...own])] };
      this.isSaved = false;
      this.save();
    }
  }

  /** Stores assignments and exposures. */
  save(): void {
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
