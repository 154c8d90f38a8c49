import { v7 as newId } from 'uuid';
import type { TextStore } from './text-stores';
import {
  keptVariation,
  mergeRecords,
  parseRecord,
  VisitorRecord,
  withAssignment,
  writeRecord,
} from './visitor-record';

const NEW_FOR_MS = 30 * 60_000;

/** The visitor as this browser knows it; for as long as the page lasts where nothing can be stored. */
export class Visitor {
  private record: VisitorRecord;
  private isSaved = false;
  private isForgotten = false;

  constructor(private readonly store: TextStore) {
    const now = Date.now();
    const known = this.read() ?? { id: newId(), since: now, seen: now, assignments: {}, exposed: [] };
    this.record = { ...known, seen: now };
    this.save();
  }

  get id(): string {
    return this.record.id;
  }

  get isNew(): boolean {
    return Date.now() - this.record.since < NEW_FOR_MS;
  }

  /** Takes in what other pages have stored in the meantime. */
  refresh(): void {
    this.record = mergeRecords(this.record, this.read());
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
    if (this.isSaved || this.isForgotten) {
      return;
    }
    this.isSaved = true;
    try {
      this.store.write(writeRecord(this.record, this.store.maxLength));
    } catch {
      // The page has no storage, or it is full: the record lasts as long as the page.
    }
  }

  /** Removes what is stored, and stores nothing more. */
  forget(): void {
    this.isForgotten = true;
    forgetVisitor(this.store);
  }

  private read(): VisitorRecord | null {
    try {
      return parseRecord(this.store.read(), Date.now());
    } catch {
      return null;
    }
  }
}

/** Removes what is stored about the visitor. */
export function forgetVisitor(store: TextStore): void {
  try {
    store.write(null);
  } catch {
    // Where nothing can be removed nothing was stored.
  }
}
