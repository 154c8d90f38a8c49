import { FailureLog, OutageLog } from './failure-log';

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

  it('writes one line per second while the database is unavailable, with the number of omitted lines', () => {
    for (; now < 2_000; now += 25) {
      log.report(logger, outage, { requestId: 'a' }, 'Request failed');
    }
    expect(lines).toEqual([
      { err: outage, requestId: 'a' },
      { err: outage, requestId: 'a', omitted: 39 },
    ]);
  });

  it('writes a line for each failure that is not an outage', () => {
    for (let count = 0; count < 5; count += 1) {
      log.report(logger, new TypeError('A mistake'), {}, 'Request failed');
    }
    expect(lines).toHaveLength(5);
  });
});

describe('the log of an outage', () => {
  let lines: unknown[];
  let now: number;
  let log: OutageLog;
  const logger = {
    error: (line: unknown) => lines.push(line),
    log: (line: unknown) => lines.push(line),
  };

  beforeEach(() => {
    [lines, now] = [[], 0];
    log = new OutageLog(logger, { failing: 'Away', working: 'Back' }, () => now);
  });

  it('writes one line when the outage begins, one per minute while it lasts, and one when it ends', () => {
    log.worked();
    for (; now < 150_000; now += 1_000) {
      log.failed('No answer');
    }
    log.worked();
    log.worked();
    expect(lines).toEqual([
      { msg: 'Away', reason: 'No answer' },
      { msg: 'Away', reason: 'No answer', omitted: 59 },
      { msg: 'Away', reason: 'No answer', omitted: 59 },
      { msg: 'Back', seconds: 150 },
    ]);
  });

  it('writes no additional lines if a service alternates between failing and working', () => {
    for (; now < 120_000; now += 1_000) {
      log.failed('No answer');
      log.worked();
    }
    expect(lines).toEqual([
      { msg: 'Away', reason: 'No answer' },
      { msg: 'Back', seconds: 0 },
      { msg: 'Away', reason: 'No answer', omitted: 59 },
      { msg: 'Back', seconds: 0 },
    ]);
  });
});
