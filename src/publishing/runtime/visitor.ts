import { v7 as newId } from 'uuid';
import { keptVariation, mergeRecords, newRecord, VisitorRecord, withAssignment } from './visitor-record';
import type { VisitorStores } from './visitor-stores';

const NEW_FOR_MS = 30 * 60_000;

/** The visitor as this browser knows it; for as long as the page lasts where nothing can be stored. */
export class Visitor {
  private record: VisitorRecord;
  private isIdUsed = false;
  private isSaved = false;
  private isForgotten = false;

  /** @param givenId what the page says that the id is */
  constructor(
    private readonly stores: VisitorStores,
    givenId: string | null,
  ) {
    const now = Date.now();
    const stored = stores.read(now);
    const known = givenId === null || givenId === stored?.id ? stored : null;
    this.record = { ...(known ?? newRecord(givenId ?? newId(), now)), seen: now };
    this.save();
  }

  /** From now on somebody relies on it. */
  get id(): string {
    this.isIdUsed = true;
    return this.record.id;
  }

  get isNew(): boolean {
    return Date.now() - this.record.since < NEW_FOR_MS;
  }

  /** @returns false when the visitor has another id that somebody relies on */
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

  /** Takes in what other pages have stored in the meantime. */
  refresh(): void {
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

  /** @returns false when the visitor's exposure to the experiment has been recorded before */
  expose(experiment: number): boolean {
    const isFirst = !this.record.exposed.includes(experiment);
    if (isFirst) {
      this.record = { ...this.record, exposed: [...this.record.exposed, experiment] };
      this.isSaved = false;
    }
    return isFirst;
  }

  /** Stores what has been kept and exposed. */
  save(): void {
    if (!this.isSaved && !this.isForgotten) {
      this.isSaved = true;
      this.stores.write(this.record);
    }
  }

  /** Removes what is stored, and stores nothing more. */
  forget(): void {
    this.isForgotten = true;
    this.stores.clear();
  }
}
