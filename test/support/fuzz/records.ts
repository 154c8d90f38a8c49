import { WRITABLE } from '../resources';
import type { Maker, Made } from '../scene';
import { RecordId } from './schema-arbitrary';

/** The minimum number of records of a type; deleted ones below that are created again. */
const AT_LEAST = 5;
const VISITORS = 50;

interface Entry {
  id: string;
  /** Ids of what it lies in, by kind. */
  within: Readonly<Record<string, string>>;
}

/** The records that exist, by the name that paths of the reference give to their kind. */
export class Records {
  private readonly entries = new Map<string, Entry[]>();

  constructor(
    private readonly make: Maker,
    readonly fixed: Readonly<Record<string, readonly string[]>>,
  ) {}

  /** Makes what is missing. */
  async replenish(): Promise<void> {
    for (const { type, path } of WRITABLE) {
      while (this.of(type).length < AT_LEAST) {
        this.add(type, await this.make.of(path), {});
      }
    }
    while (this.of('experiment').length < AT_LEAST) {
      await this.addExperiment();
    }
  }

  private async addExperiment(): Promise<void> {
    const made = await this.make.ready();
    if (this.of('experiment').length % 2 === 0) {
      // Refused while renamed records are not published; then it stays a draft.
      await this.make.move(made, 'running').catch(unlessRefused);
    }
    const experiment = String(made.id);
    this.add('experiment', made, {});
    made.variations.forEach((variation: Made) => this.add('variation', variation, { experiment }));
  }

  private of(kind: string): Entry[] {
    const entries = this.entries.get(kind) ?? [];
    this.entries.set(kind, entries);
    return entries;
  }

  private add(kind: string, { id }: Pick<Made, 'id'>, within: Entry['within']): void {
    this.of(kind).push({ id: String(id), within });
  }

  /** Notes what a request has made or removed. */
  note(kind: string, id: string, change: 'made' | 'removed', within: Entry['within']): void {
    const others = this.of(kind).filter((entry) => entry.id !== id);
    this.entries.set(kind, change === 'made' ? [...others, { id, within }] : others);
  }

  /** The text that a path gets for a choice; of what lies in a record, one of that record where there is any. */
  text({ kind, pick }: RecordId, within: Entry['within'] = {}): string {
    const fixed = this.fixed[kind];
    if (fixed !== undefined) {
      return fixed[pick % fixed.length];
    }
    if (kind === 'visitor') {
      return `visitor-${pick % VISITORS}`;
    }
    const all = this.of(kind);
    const inside = all.filter((entry) =>
      Object.entries(entry.within).every(([name, id]) => within[name] === id),
    );
    const candidates = inside.length > 0 ? inside : all;
    return candidates[pick % candidates.length]?.id ?? '1';
  }

  /** A body with the records that its choices stand for. */
  fill(value: unknown): unknown {
    if (value instanceof RecordId) {
      const text = this.text(value);
      return /^\d+$/.test(text) ? Number(text) : text;
    }
    if (Array.isArray(value)) {
      return value.map((entry) => this.fill(entry));
    }
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.fill(entry)]))
      : value;
  }
}

function unlessRefused(error: unknown): void {
  if (!String(error).includes(' answered 422: ')) {
    throw error;
  }
}
