import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { dayOf, parseDay } from '../../src/common/time/clock';
import { AdminCommand } from '../support/admin';
import { TestApi } from '../support/api';
import { shownCells, storedEvents } from '../support/events';
import { eventually } from '../support/waiting';

const PROGRAM = resolve(__dirname, '../../dist/src/admin.js');
const RUNNING = 'Green buy button';
const PAUSED = 'Checkout on one page';

interface Figures {
  participants: number;
  conversions: number;
  totalConversions: number;
  totalValue: number;
  isConfident: boolean;
  statistics: { verdict: string };
  duration: { daysRunning: number; minRuntimeReached: boolean; minConversionsReached: boolean };
}

/** A database with the demo, and its results. */
class SeededDemo {
  private constructor(
    readonly api: TestApi,
    readonly admin: AdminCommand,
    readonly demo: { project: { id: number }; experiments: Record<string, unknown>[] },
    private readonly token: string,
  ) {}

  static async make(): Promise<SeededDemo> {
    const api = await TestApi.start();
    const admin = new AdminCommand(api.databaseUrl, { PUBLIC_URL: 'https://ab.example.com' });
    const { token, ...demo } = await admin.json(['db:seed-demo', '--quickstart']);
    return new SeededDemo(api, admin, demo, token);
  }

  async get(
    name: string,
    path: string,
  ): Promise<any> /* eslint-disable-line @typescript-eslint/no-explicit-any -- as in bodies */ {
    const id = this.demo.experiments.find((experiment) => experiment.name === name)?.id as number;
    const answer = await this.api
      .as(this.token)
      .get(`/projects/${this.demo.project.id}/experiments/${id}${path}`);
    return answer.body;
  }

  /** The figures of the variations for each goal, in order. */
  async figures(name: string): Promise<Record<string, Figures[]>> {
    const { variations } = await this.get(name, '');
    const entries = await this.get(name, '/results');
    return Object.fromEntries(
      entries.map((entry: { name: string; variationStatistics: Record<string, Figures> }) => [
        entry.name,
        variations.map(({ id }: { id: number }) => entry.variationStatistics[String(id)]),
      ]),
    );
  }

  async close(): Promise<void> {
    this.admin.remove();
    await this.api.close();
  }
}

describe('the demo results', () => {
  let seeded: SeededDemo;

  beforeAll(async () => {
    seeded = await SeededDemo.make();
  });

  afterAll(() => seeded.close());

  it('include a winner, a variation that does not win, and undecided revenue', async () => {
    const {
      'Added to cart': clicks,
      'Checkout viewed': views,
      'Order placed': orders,
    } = await seeded.figures(RUNNING);
    const verdicts = (figures: Figures[]): string[] =>
      figures.slice(1).map(({ statistics }) => statistics.verdict);
    expect(verdicts(clicks)).toEqual(['inconclusive', 'winner']);
    expect(verdicts(views)).toEqual(['inconclusive', 'inconclusive']);
    expect(verdicts(orders)).toEqual(['inconclusive', 'inconclusive']);
    expect(clicks[2].isConfident).toBe(true);
    for (const { conversions, totalConversions, totalValue, duration } of orders) {
      expect(duration).toMatchObject({ minRuntimeReached: true, minConversionsReached: true });
      // The first visitor arrived a few minutes after midnight on the first day.
      expect(duration.daysRunning).toBeGreaterThan(27.9);
      expect(duration.daysRunning).toBeLessThan(29);
      expect(totalConversions).toBeGreaterThan(conversions);
      expect(totalValue).toBeGreaterThan(1_000);
      expect(totalValue % 1).not.toBe(0);
    }
  });

  it('have plausible visitors', async () => {
    const info = await seeded.get(RUNNING, '/results/info');
    expect(info.participants).toBeGreaterThan(5_000);
    expect(info.participants).toBeLessThan(6_000);
    expect(info.crossovers).toBeGreaterThan(0);
    expect(info.crossovers).toBeLessThan(20);
    expect(info.sample_ratio_mismatch.isMismatch).toBe(false);
    const { started_at } = await seeded.get(RUNNING, '');
    expect(info.first_event_at).toBe(started_at);
    const today = dayOf(Date.now() * 1000);
    expect([parseDay(started_at.slice(0, 10)), parseDay(info.last_event_at.slice(0, 10))]).toEqual([
      today - 28,
      today - 1,
    ]);
    const devices = ['desktop', 'mobile', 'tablet', 'other'];
    for (const device of devices) {
      const [{ variationStatistics }] = await seeded.get(RUNNING, `/results?deviceTypes=${device}`);
      expect([device, Object.values<Figures>(variationStatistics)[0].participants > 10]).toEqual([
        device,
        true,
      ]);
    }
    const [{ id }] = await seeded.get(RUNNING, '/results');
    const rows: { date: string; participants: number }[] = await seeded.get(RUNNING, `/results/goal/${id}`);
    const byWeekday = (weekend: boolean): number =>
      rows
        .filter(({ date }) => [0, 6].includes(new Date(date).getUTCDay()) === weekend)
        .reduce((sum, { participants }) => sum + participants, 0);
    expect(byWeekday(true) / 8).toBeLessThan(0.85 * (byWeekday(false) / 20));
  });

  it('include the paused experiment', async () => {
    const info = await seeded.get(PAUSED, '/results/info');
    expect(info).toMatchObject({ participants: 840, sample_ratio_mismatch: { isMismatch: false } });
    const { status, started_at } = await seeded.get(PAUSED, '');
    expect([status, started_at]).toEqual(['pause', info.first_event_at]);
    const addresses = seeded.demo.experiments.map(({ name, share_url }) => [name, share_url]);
    expect(addresses).toEqual([
      [RUNNING, (await seeded.get(RUNNING, '/results/info')).share_url],
      [PAUSED, info.share_url],
      ...addresses.slice(2).map(([name]) => [name, null]),
    ]);
  });

  it('are the same in every database, and unchanged if the demo already exists', async () => {
    const another = await SeededDemo.make();
    const cells = await shownCells(another.api);
    expect(cells).toEqual(await shownCells(seeded.api));
    expect(await another.admin.json(['db:seed-demo'])).toMatchObject({ created: false });
    expect(await shownCells(another.api)).toEqual(cells);
    await another.close();
  });

  it('are created again after an interruption', async () => {
    const api = await TestApi.start();
    const admin = new AdminCommand(api.databaseUrl);
    const { PATH = '' } = process.env;
    const env = { PATH, DATABASE_URL: api.databaseUrl };
    const seeding = spawn(process.execPath, [PROGRAM, 'db:seed-demo'], { cwd: admin.folder, env });
    const ended = new Promise((done) => seeding.once('exit', done));
    const hasEvents = async () => (await storedEvents(api)).length > 0;
    expect(await eventually(hasEvents)).toBe(true);
    seeding.kill('SIGKILL');
    await ended;
    const teams = await admin.json(['teams:list']);
    const demo = await admin.json(['db:seed-demo']);
    expect([teams.length, demo.created, demo.team.id === teams[0].id]).toEqual([1, true, false]);
    const ids = demo.experiments.map(({ id }: { id: number }) => id);
    const cells = (await shownCells(api)).filter((cell) => cell.startsWith(`experiment_id=${ids[0]} `));
    const wanted = (await shownCells(seeded.api)).filter((cell) => cell.startsWith('experiment_id=1 '));
    expect(cells).toHaveLength(wanted.length);
    admin.remove();
    await api.close();
  });
});
