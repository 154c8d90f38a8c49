import type { SnippetConfig } from './config';
import { cookieStore, jsonCookieStore, localStorageStore, TextStore } from './text-stores';
import { decodeId, encodeId, newRecord, parseRecord, VisitorRecord, writeRecord } from './visitor-record';

/** The storage of the visitor record. Stores that the page may not access count as empty. */
export class VisitorStores {
  /** Of the record; also signals its deletion to other tabs. */
  readonly key: string;
  private readonly record: TextStore;
  /** The id alone, for back ends, which can only read cookies. */
  private readonly id: TextStore | null;

  constructor({ clientKey, storage }: Pick<SnippetConfig, 'clientKey' | 'storage'>) {
    this.key = `gosset.${clientKey}`;
    const isCookie = storage === 'cookie';
    this.record = isCookie ? jsonCookieStore(this.key) : localStorageStore(this.key);
    this.id = isCookie ? cookieStore(`gosset_id_${clientKey}`) : null;
  }

  /** The cookie with the id, which a back end may have set, determines whose record it is. */
  read(now: number): VisitorRecord | null {
    const record = parseRecord(
      attempted(() => this.record.read()),
      now,
    );
    const id = this.readId();
    return id === null || id === record?.id ? record : newRecord(id, now);
  }

  /**
   * In some browsers, a cookie from a back end lasts longer than one from a script, so the same id is not written
   * again.
   */
  write(record: VisitorRecord): void {
    attempted(() => this.record.write(writeRecord(record, this.record.maxLength)));
    if (this.readId() !== record.id) {
      attempted(() => this.id?.write(encodeId(record.id)));
    }
  }

  clear(): void {
    attempted(() => this.record.write(null));
    attempted(() => this.id?.write(null));
    attempted(() => localStorage.setItem(this.key, ''));
    attempted(() => localStorage.removeItem(this.key));
  }

  private readId(): string | null {
    return decodeId(attempted(() => this.id?.read()));
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
