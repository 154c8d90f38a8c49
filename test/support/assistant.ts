import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { RESOURCES } from '../../src/resources/registry';
import type { Person } from './api';
import { startLive } from './live-server';
import { hasTools, WRITABLE } from './resources';
import { Maker, Scene } from './scene';

/** The generation of the MCP protocol: with an `initialize` request (until 2025) or without one (since 2026). */
export type Era = 'legacy' | { pin: '2026-07-28' };

export interface ToolAnswer {
  /** The text of the response, without the structured data. */
  text: string;
  isError: boolean;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read responses of any shape
  data: any;
}

/** Simulates an AI assistant with the official client. */
export class Assistant {
  private constructor(readonly client: Client) {}

  static async connect(transport: Transport, era: Era = 'legacy'): Promise<Assistant> {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: era } });
    await client.connect(transport);
    return new Assistant(client);
  }

  /** @param headers in addition to the token */
  static overHttp(
    address: string,
    token: string,
    era: Era = 'legacy',
    headers: Record<string, string> = {},
  ): Promise<Assistant> {
    const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } };
    return Assistant.connect(
      new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit }),
      era,
    );
  }

  /** Calls a tool. The client validates the response against the schema that the server declared. */
  async use(name: string, args: object = {}): Promise<ToolAnswer> {
    const answer = await this.client.callTool({ name, arguments: { ...args } });
    const texts = answer.content.map((part) => (part.type === 'text' ? part.text : ''));
    const data: unknown = answer.structuredContent;
    const isError = answer.isError === true;
    if (!isError) {
      expect(JSON.parse(texts[1] ?? '')).toEqual(data);
    }
    return { text: texts[0] ?? '', isError, data };
  }

  /** Calls a tool, and asserts that the call succeeds. @returns the structured data */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read responses of any shape
  async get(name: string, args: object = {}): Promise<any> {
    const { isError, text, data } = await this.use(name, args);
    expect([name, isError, text]).toEqual([name, false, text]);
    return data;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** The tools, grouped by what they do. */
export const TOOLS = {
  reads: [
    'list_teams',
    'list_projects',
    ...RESOURCES.filter(hasTools).flatMap(({ type, collection }) => [`list_${collection}`, `get_${type}`]),
    'list_experiments',
    'get_experiment',
    'get_variation',
    'get_results',
    'get_results_info',
    'plan_experiment',
    'check_installation',
    'list_recent_events',
    'list_changes',
    'check_start',
  ],
  adds: [
    ...WRITABLE.filter(hasTools).map(({ type }) => `create_${type}`),
    'draft_experiment',
    'add_variation',
  ],
  changes: [
    ...WRITABLE.filter(hasTools).map(({ type }) => `update_${type}`),
    'update_experiment',
    'update_variation',
    'preview_experiment',
    'start_experiment',
    'pause_experiment',
    'publish_project',
    'revert_change',
  ],
};

/** A scene like `Scene`, with AI assistants. */
export interface AssistedScene extends Omit<Scene, 'other'> {
  /** An assistant with this token. */
  assistantOf: (token: string, era?: Era) => Promise<Assistant>;
  of: (person: Person) => Promise<Assistant>;
  /** The arguments that identify the project. */
  here: () => { project_id: number };
  /** The arguments that identify an experiment. */
  at: (experiment: { id: number }) => { project_id: number; experiment_id: number };
}

/** Like `useScene`, with a listening server. */
export function useAssistants(): AssistedScene {
  const scene = {} as AssistedScene;
  const open: Assistant[] = [];
  beforeAll(async () => {
    const api = await startLive();
    const world = await api.world();
    const { client } = world.people.admin;
    const assistantOf: AssistedScene['assistantOf'] = async (token, era) => {
      const assistant = await Assistant.overHttp(api.config.publicUrl, token, era);
      open.push(assistant);
      return assistant;
    };
    const here = () => ({ project_id: world.projectId });
    Object.assign(scene, {
      api,
      world,
      client,
      project: world.project,
      make: new Maker(client, world.project),
      assistantOf,
      of: ({ token }: Person) => assistantOf(token),
      here,
      at: ({ id }: { id: number }) => ({ ...here(), experiment_id: id }),
    });
  });
  afterAll(async () => {
    await Promise.all(open.map((assistant) => assistant.close()));
    await scene.api.close();
  });
  return scene;
}
