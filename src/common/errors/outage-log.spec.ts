import { OutageLog } from './outage-log';

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

  it('has one line when it begins, one a minute while it lasts, and one when it ends', () => {
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

  it('has no more lines of a service that fails and works in turns', () => {
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
