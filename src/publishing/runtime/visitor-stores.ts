import type { SnippetConfig } from './config';
import { cookieStore, jsonCookieStore, localStorageStore, TextStore } from './text-stores';
import { decodeId, encodeId, newRecord, parseRecord, VisitorRecord, writeRecord } from './visitor-record';

/** Half of the lifetime of the cookie. */
const RENEWAL_MS = 182 * 24 * 3_600_000;

/** The storage for the visitor record. A store that the page cannot access counts as empty. */
export class VisitorStores {
  private readonly key: string;
  /** Whether subdomains share the record. No event tells this page when a different subdomain deletes it. */
  readonly isShared: boolean;
  private readonly record: TextStore;
  /** The store for the storage setting that the project does not use. It may still contain an earlier record. */
  private readonly earlier: TextStore;
  /** A separate cookie that contains only the id, for back ends, which cannot read localStorage. */
  private readonly id: TextStore;

  constructor({ clientKey, storage }: Pick<SnippetConfig, 'clientKey' | 'storage'>) {
    this.key = `gosset.${clientKey}`;
    this.isShared = storage === 'cookie';
    const stores = [localStorageStore(this.key), jsonCookieStore(this.key)];
    [this.record, this.earlier] = this.isShared ? stores.reverse() : stores;
    this.id = cookieStore(`gosset_id_${clientKey}`);
  }

  /**
   * Reads the record. If the cookie with the id contains a different id, which a back end may have set, the result is a
   * new record for that id.
   */
  read(now: number): VisitorRecord | null {
    const stored = (store: TextStore): VisitorRecord | null =>
      parseRecord(
        attempted(() => store.read()),
        now,
      );
    const record = stored(this.record) ?? stored(this.earlier);
    const id = this.readId();
    return id === null || id === record?.id ? record : newRecord(id, now);
  }

  /**
   * Stores the record. Does not overwrite a cookie with this id that a back end has set, because in some browsers such a
   * cookie lasts longer than one set by a script. A cookie set by the snippet is renewed rarely, because a back end may
   * have replaced it in the meantime.
   */
  write(record: VisitorRecord): void {
    const { id, seen, renewed = Infinity } = record;
    const isDue = this.isShared && (this.readId() !== id || renewed + RENEWAL_MS < seen);
    if (isDue) {
      attempted(() => this.id.write(encodeId(id)));
    }
    const text = writeRecord(isDue ? { ...record, renewed: seen } : record, this.record.maxLength);
    attempted(() => this.record.write(text));
  }

  clear(): void {
    attempted(() => localStorage.setItem(this.key, String(Date.now())));
    [this.record, this.earlier, this.id].forEach((store) => attempted(() => store.write(null)));
  }

  /**
   * When a different tab called `clear`, regardless of where the record was stored, in milliseconds since 1970. Other
   * events return 0 or NaN.
   */
  clearedAt({ key, newValue }: StorageEvent): number {
    return key === this.key ? Number(newValue) : 0;
  }

  private readId(): string | null {
    return this.isShared ? decodeId(attempted(() => this.id.read())) : null;
  }
}

/** Returns null if the access fails. A page may have no storage, or the storage may be full. */
export function attempted<T>(access: () => T): T | null {
  try {
    return access();
  } catch {
    return null;
  }
}
