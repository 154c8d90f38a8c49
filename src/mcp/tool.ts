import type {
  CallToolResult,
  McpServer,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { ApiAnswer, ApiRequest, CallApi } from './api-port';
import { UnreachableError } from './fetch-port';
import { MistakenError, RefusedError } from './refusals';

/** What a tool does to the project, as hosts are told, which ask the person before some of them. */
export const EFFECTS = {
  /** Only looks. */
  reads: { readOnlyHint: true, openWorldHint: false },
  /** Makes something new, again with each call. */
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  /** Replaces what is there, or what visitors of the site see. */
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
} as const satisfies Record<string, ToolAnnotations>;

/** What a tool has to say: a sentence or two, and the same in full for programs. */
export interface Told<T> {
  text: string;
  data: T;
}

export interface ToolSpec<I extends z.ZodObject, O extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  effect: keyof typeof EFFECTS;
  input: I;
  output: O;
  run: (args: z.output<I>, call: CallApi) => Promise<Told<z.output<O>>>;
}

/** What tools need of the place they run in. */
export interface Surroundings {
  call: CallApi;
  /** Takes note of what should not have happened. */
  report: (error: unknown) => void;
}

/** Offers a tool to an assistant. */
export type Tool = (server: McpServer, surroundings: Surroundings) => void;

/** Defines a tool once, for all ways in which assistants reach it. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(spec: ToolSpec<I, O>): Tool {
  const { name, title, description, input, output, effect } = spec;
  const schemas: Record<'inputSchema' | 'outputSchema', StandardSchemaWithJSON> = {
    inputSchema: input,
    outputSchema: output,
  };
  const config = { title, description, ...schemas, annotations: { title, ...EFFECTS[effect] } };
  return (server, { call, report }) => {
    const run = async (args: unknown): Promise<CallToolResult> => {
      try {
        return toResult(await spec.run(args as z.output<I>, call));
      } catch (error) {
        return toErrorResult(error, report);
      }
    };
    server.registerTool(name, config, run);
  };
}

/** Both texts, because some hosts show their assistant nothing but texts. */
function toResult<T extends Record<string, unknown>>({ text, data }: Told<T>): CallToolResult {
  return {
    content: [
      { type: 'text', text },
      { type: 'text', text: JSON.stringify(data) },
    ],
    structuredContent: data,
  };
}

function toErrorResult(error: unknown, report: (error: unknown) => void): CallToolResult {
  const isExpected =
    error instanceof RefusedError || error instanceof MistakenError || error instanceof UnreachableError;
  if (!isExpected) {
    report(error);
  }
  const text = isExpected ? error.message : 'Something went wrong in the server of these tools.';
  return { content: [{ type: 'text', text }], isError: true };
}

/**
 * Calls the API and expects success.
 * @throws RefusedError when it refuses
 */
export async function request(call: CallApi, what: ApiRequest): Promise<ApiAnswer> {
  const answer = await call(what);
  if (answer.status >= 400) {
    throw new RefusedError(answer);
  }
  return answer;
}

/** Makes a record; with the same `key` it is made once. */
export function create(
  call: CallApi,
  path: string,
  body: Record<string, unknown>,
  key?: string,
): Promise<ApiAnswer> {
  return request(call, { method: 'POST', path, body, headers: { 'idempotency-key': key } });
}

/** Changes a record, unless it has another tag by now. */
export function change(
  call: CallApi,
  path: string,
  body: Record<string, unknown>,
  tag?: string,
): Promise<ApiAnswer> {
  return request(call, { method: 'PATCH', path, body, headers: { 'if-match': tag } });
}
