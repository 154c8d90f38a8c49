import type { Answer } from './client';
import { anotherProject, Made, Maker, Scene } from './scene';

/* eslint-disable @typescript-eslint/no-explicit-any -- tests change documents in any way */

export const CODE = "const button = document.querySelector('.buy');\nbutton.textContent = 'Buy now';\n";

export type Change = Record<string, any>;

/** Reads and applies a project definition. Call `begin` to start with a new project. */
export class DefinitionStage {
  make!: Maker;

  constructor(private readonly scene: Scene) {}

  async begin(name?: string): Promise<Maker> {
    this.make = await anotherProject(this.scene, name);
    return this.make;
  }

  get path(): string {
    return `${this.make.project}/definition`;
  }

  exported(): Promise<Answer<any>> {
    return this.scene.client.get(this.path);
  }

  async show(): Promise<any> {
    return (await this.exported()).body;
  }

  put(body: unknown, query = '', headers: Record<string, string | undefined> = {}): Promise<Answer<any>> {
    return this.scene.client.put(`${this.path}${query}`, body, headers as Record<string, string>);
  }

  /** Applies a document, and asserts that it is accepted. @returns its changes */
  async changesOf(body: unknown, query = ''): Promise<Change[]> {
    const answer = await this.put(body, query);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body.changes as Change[];
  }

  /** Applies the current definition with changes. */
  async change(edit: (document: any) => void, query = ''): Promise<Change[]> {
    const document = await this.show();
    edit(document);
    return this.changesOf(document, query);
  }
}

/** Fills a project with every type of record. */
export async function fill(into: Maker): Promise<Record<string, Made>> {
  const audience = await into.audience({ name: 'Phones', conditions: { type: 'device', value: 'mobile' } });
  const page = await into.page({ name: 'Shop', conditions: [{ value: '/shop' }] });
  const goal = await into.goal({ name: 'Order placed', value_type: 'revenue', conversion_window_days: 14 });
  const viewed = await into.goal({ name: 'Cart viewed', type: 'pageview', page_id: page.id });
  const experiment = await into.experiment({
    name: 'Green button',
    description: 'Ünïcode 😀',
    js: CODE,
    css: '.buy { color: green }',
    tags: ['checkout', 'Zoë'],
    traffic_allocation: 50,
    minimum_effect: 5,
    planned_participants: 1000,
    audiences: [audience.id],
    pages: [page.id],
    goals: [viewed.id, goal.id],
    variations: [{ name: 'Original' }, { name: 'Green', traffic_allocation: 30, css: '.buy{}' }],
  });
  return { audience, page, goal, viewed, experiment };
}
