import { FailureLog } from './failure-log';

const outage = Object.assign(new Error('Connection lost'), { code: 'PROTOCOL_CONNECTION_LOST' });

describe('the failure log', () => {
  let lines: unknown[];
  let now: number;
  let log: FailureLog;
  const logger = { error: (line: unknown) => lines.push(line) };

  beforeEach(() => {
    [lines, now] = [[], 0];
    log = new FailureLog(() => now);
  });

  it('writes one line a second while the database is unavailable, with the number of omitted lines', () => {
    for (; now < 2_000; now += 25) {
      log.report(logger, outage, { requestId: 'a' }, 'Request failed');
    }
    expect(lines).toEqual([
      { err: outage, requestId: 'a' },
      { err: outage, requestId: 'a', omitted: 39 },
    ]);
  });

  it('writes every other failure', () => {
    for (let count = 0; count < 5; count += 1) {
      log.report(logger, new TypeError('A mistake'), {}, 'Request failed');
    }
    expect(lines).toHaveLength(5);
  });
});
