import type { SnippetConfig } from './config';
import { retryTime } from './delivery';
import { attempted } from './visitor-stores';

/** The visitor's country, which only the server can determine. */
export interface CountrySource {
  /** ISO 3166-1 alpha-2 code; null if unknown. */
  known(): string | null;
  /** Whether the server has not responded yet. */
  isAwaited(): boolean;
  /** Whether a request is under way. */
  isAsking(): boolean;
  /**
   * Requests the country, once per session; again if the last request failed and the pause after it is over.
   * @param react is called when the server has responded or the request has failed
   */
  ask(react: () => void): void;
  /** Removes the stored country from the browser. */
  forget(): void;
}

/** The country source in the runtime for projects that have no conditions on the country. */
export const noCountry: CountrySource = {
  known: () => null,
  isAwaited: () => false,
  isAsking: () => false,
  ask: () => undefined,
  forget: () => undefined,
};

export function sessionCountry({ host, clientKey }: SnippetConfig): CountrySource {
  const key = `gosset.${clientKey}.country`;
  /** Null until the server has responded; empty if the server does not know the country. */
  let country: string | null = null;
  /** Identifies the request that is under way. */
  let asked: object | null = null;
  let failures = 0;
  /** When the next request is allowed, see `retryTime`. */
  let notBefore = 0;
  const request = async (react: () => void): Promise<void> => {
    const mine = (asked = {});
    let found: string | null = null;
    let retryAfter: string | null = null;
    try {
      const answer = await fetch(`${host}/v1/visitor?client_key=${clientKey}`, { credentials: 'omit' });
      retryAfter = answer.headers.get('retry-after');
      if (answer.ok) {
        found = ((await answer.json()) as { country: string | null }).country ?? '';
      }
    } catch {
      // Without a response, the country stays unknown.
    }
    if (asked === mine) {
      asked = null;
      country ??= found;
      if (country === null) {
        failures += 1;
        notBefore = retryTime(failures, retryAfter);
      } else {
        attempted(() => sessionStorage.setItem(key, String(country)));
      }
      react();
    }
  };
  return {
    known: () => country || null,
    isAwaited: () => country === null,
    isAsking: () => asked !== null,
    ask(react) {
      // Sandboxed pages have no storage, so each of them asks the server again.
      country ??= attempted(() => sessionStorage.getItem(key));
      if (country === null && asked === null && performance.now() >= notBefore) {
        void request(react);
      }
    },
    forget() {
      country = asked = null;
      attempted(() => sessionStorage.removeItem(key));
    },
  };
}
