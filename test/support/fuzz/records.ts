import { WRITABLE } from '../resources';
import type { Maker, Made } from '../scene';
import { RecordId } from './schema-arbitrary';

/** The minimum number of records per type. If there are fewer, new ones are created. */
const AT_LEAST = 5;
const VISITORS = 50;

interface Entry {
  id: string;
  /** Ids of its parent records, by type. */
  within: Readonly<Record<string, string>>;
}

/** The existing records, by the name of their path parameter in the reference. */
export class Records {
  private readonly entries = new Map<string, Entry[]>();

  constructor(
    private readonly make: Maker,
    readonly fixed: Readonly<Record<string, readonly string[]>>,
  ) {}

  /** Creates missing records. */
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
      // The server rejects the start while renamed records are unpublished. The experiment then stays a draft.
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

  /** Updates the list after a request has created or deleted a record. */
  note(kind: string, id: string, change: 'made' | 'removed', within: Entry['within']): void {
    const others = this.of(kind).filter((entry) => entry.id !== id);
    this.entries.set(kind, change === 'made' ? [...others, { id, within }] : others);
  }

  /** The path segment for a placeholder. Prefers children of the records that the path already names. */
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

  /** Replaces the placeholders in a body with existing records. */
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
