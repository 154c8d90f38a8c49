import { randomUUID } from 'node:crypto';
import type { Answer } from './client';
import { attributeAll, conversion, exposure, type MessageFields, send, shownCells } from './events';
import type { LoggedScene } from './event-logs';
import { anotherProject, type Made, type Maker, type Scene } from './scene';

/** The results of the experiments on a site. */
export interface ShownSite {
  cells: string[];
  infos: object[];
}

/** A project with two running experiments and a goal named "Sale". Tests delete its visitors. */
export class VisitorSite {
  private constructor(
    private readonly scene: Scene,
    readonly make: Maker,
    readonly key: string,
    readonly experiments: Made[],
  ) {}

  static async create(scene: Scene): Promise<VisitorSite> {
    const make = await anotherProject(scene, `Site ${randomUUID()}`);
    await make.goal({ name: 'Sale', value_type: 'revenue' });
    const experiments = [await make.withStatus('running'), await make.withStatus('running')];
    const key = (await scene.client.get(make.project)).body.client_key as string;
    return new VisitorSite(scene, make, key, experiments);
  }

  get path(): string {
    return this.make.project;
  }

  get id(): number {
    return this.make.projectId;
  }

  /** The messages of a visitor who participates in both experiments, returns in another variation, and buys. */
  messagesOf(visitor: string, number = 1): MessageFields[] {
    const [first, second] = this.experiments;
    return [
      exposure(visitor, first.id, first.variations[number % 2].id),
      exposure(visitor, second.id, second.variations[0].id),
      conversion(visitor, 'sale', number + 0.0001),
      exposure(visitor, first.id, first.variations[0].id),
    ];
  }

  send(
    messages: unknown[],
  ): Promise<Answer<any>> /* eslint-disable-line @typescript-eslint/no-explicit-any -- as in bodies */ {
    return send(this.scene.api, this.key, messages);
  }

  /** Sends messages, and asserts that all are accepted. */
  async collect(messages: unknown[]): Promise<void> {
    const { status, body } = await this.send(messages);
    expect([status, body]).toEqual([200, expect.objectContaining({ accepted: messages.length })]);
  }

  visit(visitor: string, number = 1): Promise<void> {
    return this.collect(this.messagesOf(visitor, number));
  }

  addressOf(visitor: string): string {
    return `${this.path}/visitors/${encodeURIComponent(visitor)}`;
  }

  delete(visitor: string, query = ''): Promise<Answer> {
    return this.scene.client.delete(this.addressOf(visitor) + query);
  }

  async remove(visitor: string): Promise<void> {
    expect((await this.delete(visitor)).status).toBe(204);
  }

  /** Attributes all events. @returns the cells, and the fields of `results/info` that depend on the events */
  async shown(): Promise<ShownSite> {
    await attributeAll(this.scene.api);
    const infos = this.experiments.map(async ({ path }) => {
      const { body } = await this.scene.client.get(`${path}/results/info`);
      const { participants, crossovers, first_event_at, last_event_at, recomputing } = body;
      return { participants, crossovers, first_event_at, last_event_at, recomputing };
    });
    return { cells: await this.cells(), infos: await Promise.all(infos) };
  }

  async cells(): Promise<string[]> {
    const isOwn = (cell: string): boolean =>
      this.experiments.some(({ id }) => cell.includes(`experiment_id=${id} `));
    return (await shownCells(this.scene.api)).filter(isOwn);
  }

  async participants(): Promise<number[]> {
    await attributeAll(this.scene.api);
    const infos = this.experiments.map(({ path }) => this.scene.client.get(`${path}/results/info`));
    return (await Promise.all(infos)).map(({ body }) => body.participants as number);
  }
}

/** Completes pending removals, and returns the names of tables that contain this text. */
export async function tablesWith(
  { api: { database }, log }: LoggedScene,
  { id }: VisitorSite,
  text: string,
): Promise<string[]> {
  await log.carryOut();
  const found = (await log.has(id, text)) ? ['the event log'] : [];
  for (const { tableName } of database.writer.entityMetadatas) {
    const rows: object[] = await database.read.query(`SELECT * FROM ${tableName}`);
    if (rows.some((row) => JSON.stringify(row).includes(text))) {
      found.push(tableName);
    }
  }
  return found;
}
