import { randomUUID } from 'node:crypto';
import { RebuildService } from '../../src/events/rebuild.service';
import { attributeAll, conversion, exposure, MessageFields, send, shownCells } from './events';
import { Made, type Scene, useScene } from './scene';

/*
 * A running experiment, and a visitor with several ids. After each test, asserts that a rebuild gives the same results.
 */

export const identify = (anonymousId: unknown, userId: unknown): MessageFields => ({
  type: 'identify',
  anonymousId,
  userId,
  messageId: randomUUID(),
});

export const alias = (previousId: unknown, userId: unknown): MessageFields => ({
  type: 'alias',
  previousId,
  userId,
  messageId: randomUUID(),
});

/** The number of links ignored so far for this reason. */
export async function ignoredLinks({ api }: Scene, reason: string): Promise<number> {
  const { payload } = await api.app.inject({ method: 'GET', url: '/metrics' });
  const pattern = new RegExp(`^gosset_links_ignored_total\\{reason="${reason}"\\} (\\d+)$`, 'm');
  return Number(pattern.exec(payload)?.[1] ?? 0);
}

const START = Date.now();
const MINUTE = 60_000;
const DAY_MICROS = 86_400_000_000;

/**
 * A time this many minutes after a fixed time, two hours before the tests began. The experiment was already running
 * then. Minutes are long enough that no delay changes the order of events.
 */
export const at = (minutes: number): MessageFields => ({
  timestamp: new Date(START + (minutes - 120) * MINUTE).toISOString(),
});

interface Row {
  participants: number;
  conversions: number;
  totalValue: number;
}

export class LinkStage {
  key: string;
  goal: Made;
  experiment: Made;
  /**
   * The ids of one visitor: on a first device, on a second device, and signed in. They are random, so their sort order
   * varies.
   */
  anonymous: string;
  phone: string;
  user: string;

  constructor(readonly scene: ReturnType<typeof useScene>) {
    beforeAll(async () => {
      this.key = (await scene.client.get(scene.project)).body.client_key as string;
    });
    beforeEach(() => this.prepare());
    afterEach(() => this.expectSameAfterRebuild());
  }

  viewed(visitor: string, arm: number, fields: MessageFields = {}, of = this.experiment): MessageFields {
    return exposure(visitor, of.id, of.variations[arm].id as number, { ...at(0), ...fields });
  }

  bought(visitor: string, value: number, fields: MessageFields = {}): MessageFields {
    return conversion(visitor, this.goal.api_name as string, value, { ...at(30), ...fields });
  }

  /** Sends messages, and asserts that all are accepted. */
  async collect(...messages: unknown[]): Promise<void> {
    const { body } = await send(this.scene.api, this.key, messages);
    expect(body).toEqual({ success: true, accepted: messages.length, rejected: 0, errors: [] });
  }

  /** Sends messages, and asserts that this number of links is ignored for this reason. */
  async collectIgnoring(reason: string, count: number, ...messages: unknown[]): Promise<void> {
    const before = await ignoredLinks(this.scene, reason);
    await this.collect(...messages);
    expect(await ignoredLinks(this.scene, reason)).toBe(before + count);
  }

  /** Participants, conversions and value of each variation. */
  async results(query = '', of = this.experiment): Promise<number[][]> {
    await attributeAll(this.scene.api);
    const { body } = await this.scene.client.get(`${of.path}/results${query}`);
    const rows = Object.values<Row>((body as Made[])[0].variationStatistics);
    return rows.map(({ participants, conversions, totalValue }) => [participants, conversions, totalValue]);
  }

  async info(): Promise<Made> {
    await attributeAll(this.scene.api);
    return (await this.scene.client.get(`${this.experiment.path}/results/info`)).body as Made;
  }

  private async prepare(): Promise<void> {
    this.goal = await this.scene.make.goal({ value_type: 'revenue' });
    this.experiment = await this.scene.make.withStatus('running', { goals: [this.goal.id] });
    await this.startDayEarlier();
    [this.anonymous, this.phone, this.user] = [randomUUID(), randomUUID(), randomUUID()];
  }

  private async startDayEarlier(): Promise<void> {
    const { id } = this.experiment;
    await this.scene.api.database.transaction(async (tx) => {
      const earlier = 'SET started_at = started_at - ?';
      await tx.query(`UPDATE experiment_runs ${earlier} WHERE experiment_id = ?`, [DAY_MICROS, id]);
      await tx.query(`UPDATE experiments ${earlier} WHERE id = ?`, [DAY_MICROS, id]);
      await tx.query('UPDATE project_versions SET version = version + 1');
    });
  }

  private async expectSameAfterRebuild(): Promise<void> {
    const incremental = await this.state();
    await this.scene.api.app.get(RebuildService, { strict: false }).rebuild({});
    expect(await this.state()).toEqual(incremental);
  }

  /** All cells, and the times of the first and last event in the results. */
  private async state(): Promise<unknown> {
    await attributeAll(this.scene.api);
    const spans: Record<string, unknown>[] = await this.scene.api.database.read.query(
      'SELECT experiment_id, first_event_at, last_event_at FROM experiment_results ORDER BY experiment_id',
    );
    const cells = await shownCells(this.scene.api);
    return { cells, spans: spans.map((span) => Object.values(span).map(String)) };
  }
}
