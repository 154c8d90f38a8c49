import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SqliteStage } from '../support/sqlite-stage';
import { until } from '../support/waiting';

const HOUR_MS = 3_600_000;
/** Successive offsets of the system clock from the real time. */
const SHIFTS = [2 * HOUR_MS, -5 * HOUR_MS, 30 * HOUR_MS, -1, 0];
const PRELOAD = resolve(__dirname, '../support/shifted-clock.cjs');

describe('while the system clock jumps by hours', () => {
  let folder: string;
  let stage: SqliteStage;
  let shiftFile: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gosset-clock-'));
    shiftFile = join(folder, 'shift');
    stage = await SqliteStage.prepare(join(folder, 'data', 'gosset.sqlite'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const start = (environment: Record<string, string> = {}): Promise<unknown> =>
    stage.start({ NODE_OPTIONS: `--require=${PRELOAD}`, CLOCK_SHIFT_FILE: shiftFile, ...environment });

  /** Sets the server's clock, and waits until the audit log shows the new time. */
  async function shift(milliseconds: number): Promise<void> {
    writeFileSync(shiftFile, String(milliseconds));
    await until(async () => {
      const answer = await stage.call('/goals', { name: 'What time is it?' });
      const { created_at: now } = (await answer.json()) as { created_at?: string };
      return Math.abs(Date.parse(now ?? '') - milliseconds - Date.now()) < 60_000;
    }, 'the clock of the server');
  }

  it('all acknowledged events are stored and counted once, and no user is signed out', async () => {
    await start();
    stage.beginSending();
    for (const milliseconds of SHIFTS) {
      await shift(milliseconds);
      await stage.seen(200);
      await stage.seen(200);
      expect(await stage.isSignedIn()).toBe(true);
      await stage.readiness(200);
    }
    await stage.stop('SIGKILL');
    await stage.expectNothingLost(['What time is it?']);
  }, 120_000);

  it('an exceeded rate limit does not block users for hours', async () => {
    await start({ DELIVERY_LIMIT_PER_MINUTE: '30' });
    for (const milliseconds of [-5 * HOUR_MS, 2 * HOUR_MS, -HOUR_MS]) {
      stage.beginSending();
      await stage.seen(429);
      await stage.endSending();
      await shift(milliseconds);
      stage.forgetAnswers();
      stage.beginSending();
      await stage.seen(200);
      await stage.endSending();
    }
    await stage.stop();
    await stage.expectNothingLost();
  }, 120_000);
});
