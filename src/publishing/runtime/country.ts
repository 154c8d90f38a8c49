import type { SnippetConfig } from './config';

/** The visitor's country, which only the server can determine. */
export interface CountrySource {
  /** ISO 3166-1 alpha-2 code; null if unknown. */
  known(): string | null;
  /** Whether the server has not responded yet. */
  isAwaited(): boolean;
  /** Requests the country, once per session. @param react is called when the server responds */
  ask(react: () => void): void;
  /** Removes the stored country from the browser. */
  forget(): void;
}

/** The country source in the runtime for projects that have no conditions on the country. */
export const noCountry: CountrySource = {
  known: () => null,
  isAwaited: () => false,
  ask: () => undefined,
  forget: () => undefined,
};

export function sessionCountry({ host, clientKey }: SnippetConfig): CountrySource {
  const key = `gosset.${clientKey}.country`;
  let country: string | null = null;
  let isAsking = false;
  let isAnswered = false;
  /** Sandboxed pages have no storage, so each of them asks the server again. */
  const stored = (access: (storage: Storage) => string | null): string | null => {
    try {
      return access(sessionStorage);
    } catch {
      return null;
    }
  };
  const request = async (react: () => void): Promise<void> => {
    try {
      const address = `${host}/v1/visitor?client_key=${encodeURIComponent(clientKey)}`;
      const answer = await fetch(address, { credentials: 'omit' });
      if (answer.ok && isAsking) {
        country = ((await answer.json()) as { country: string | null }).country;
        isAnswered = true;
        stored((storage) => {
          storage.setItem(key, country ?? '');
          return null;
        });
        react();
      }
    } catch {
      // Without a response, the country stays unknown. The next page asks again.
    }
  };
  return {
    known: () => country,
    isAwaited: () => !isAnswered,
    ask(react) {
      const last = stored((storage) => storage.getItem(key));
      country ??= last === '' ? null : last;
      isAnswered ||= last !== null;
      if (last === null && !isAsking) {
        isAsking = true;
        void request(react);
      }
    },
    forget() {
      [country, isAsking, isAnswered] = [null, false, false];
      stored((storage) => {
        storage.removeItem(key);
        return null;
      });
    },
  };
}
