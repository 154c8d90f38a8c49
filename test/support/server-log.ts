import { Logger, pino } from 'pino';
import { logOptions } from '../../src/common/logging/pino-logger';

const KEPT = 20;

interface Line {
  requestId?: string;
  method?: string;
  url?: string;
  status?: number;
  err?: { stack: string };
}

/**
 * All applications in a test share this list, because the framework's `Logger` writes to the log of the application
 * that was started last.
 */
const failures: Line[] = [];

/** A server log for tests. It prints only the causes of responses with status 500. */
export function failuresOnly(): Logger {
  const show = ({ requestId, method, url }: Line): void => {
    const cause = failures.find((failure) => failure.requestId === requestId);
    console.error(`${method} ${url} answered 500: ${cause?.err?.stack ?? 'nothing was logged'}`);
  };
  const write = (text: string): void => {
    if (text.includes('"err":')) {
      failures.unshift(JSON.parse(text) as Line);
      failures.splice(KEPT);
    } else if (text.includes('"status":500')) {
      show(JSON.parse(text) as Line);
    }
  };
  return pino(logOptions('info'), { write });
}
