import type { SnippetConfig } from './config';
import { cookieStore, jsonCookieStore, localStorageStore, TextStore } from './text-stores';
import { decodeId, encodeId, newRecord, parseRecord, VisitorRecord, writeRecord } from './visitor-record';

/** The storage of the visitor record. Stores that the page may not access count as empty. */
export class VisitorStores {
  private readonly key: string;
  private readonly isCookie: boolean;
  private readonly record: TextStore;
  /** The store of the project's other setting, which it may have had before. */
  private readonly earlier: TextStore;
  /** The id alone, for back ends, which can only read cookies. */
  private readonly id: TextStore;

  constructor({ clientKey, storage }: Pick<SnippetConfig, 'clientKey' | 'storage'>) {
    this.key = `gosset.${clientKey}`;
    this.isCookie = storage === 'cookie';
    const stores = [localStorageStore(this.key), jsonCookieStore(this.key)];
    [this.record, this.earlier] = this.isCookie ? stores.reverse() : stores;
    this.id = cookieStore(`gosset_id_${clientKey}`);
  }

  /** The cookie with the id, which a back end may have set, determines whose record it is. */
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
   * In some browsers, a cookie from a back end lasts longer than one from a script, so the same id is not written
   * again.
   */
  write(record: VisitorRecord): void {
    attempted(() => this.record.write(writeRecord(record, this.record.maxLength)));
    if (this.isCookie && this.readId() !== record.id) {
      attempted(() => this.id.write(encodeId(record.id)));
    }
  }

  clear(): void {
    attempted(() => localStorage.setItem(this.key, ''));
    [this.record, this.earlier, this.id].forEach((store) => attempted(() => store.write(null)));
  }

  /** Whether another tab has called `clear`, regardless of where the record was. */
  isCleared({ key, newValue }: StorageEvent): boolean {
    return key === this.key && newValue === '';
  }

  private readId(): string | null {
    return this.isCookie ? decodeId(attempted(() => this.id.read())) : null;
  }
}

/** Pages may have no storage, or a full one. */
function attempted<T>(access: () => T): T | null {
  try {
    return access();
  } catch {
    return null;
  }
}
