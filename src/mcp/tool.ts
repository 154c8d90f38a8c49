import type {
  CallToolResult,
  McpServer,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { JsonSchema } from '../common/validation/json-schema';
import type { ApiAnswer, CallApi } from './api-port';
import { inputOf, Takes } from './arguments';
import { UnreachableError } from './fetch-port';
import type { Arguments, Reference } from './reference';
import { MistakenError, RefusedError } from './refusals';

/** The effect of a tool on the project. Depending on this effect, hosts ask the user before they call the tool. */
const EFFECTS = {
  /** Reads only. */
  reads: { readOnlyHint: true, openWorldHint: false },
  /** Creates something new with each call. */
  adds: { destructiveHint: false, openWorldHint: false },
  /** Replaces existing data, or changes what visitors see. */
  changes: { destructiveHint: true, openWorldHint: false },
} as const satisfies Record<string, ToolAnnotations>;

/** A tool's result: one or two sentences, and the full data as JSON. */
export interface Told {
  text: string;
  data: Record<string, unknown>;
}

/** Access to the API, through operations in the reference. */
export interface Api {
  /**
   * Calls an operation that must succeed. @param id the operation; by default the tool's own operation
   * @throws RefusedError if the API rejects the request
   */
  ask(args: Arguments, id?: string): Promise<ApiAnswer>;
  /** Like `ask`, but returns error responses to the tool. */
  attempt(args: Arguments): Promise<ApiAnswer>;
}

export interface ToolSpec<A extends Arguments = Arguments> extends Omit<Takes, 'isRepeatable'> {
  name: string;
  /** By default, the summary of the operation. */
  title?: string;
  /** By default, the purpose of the operation in the reference. */
  description?: string;
  effect: keyof typeof EFFECTS;
  /** The id of the operation in the reference that the tool calls. */
  operation: string;
  run: (args: A, api: Api) => Promise<Told>;
}

/** What a tool needs to run. */
export interface Surroundings {
  call: CallApi;
  /** Reports an unexpected error. */
  report: (error: unknown) => void;
}

/** Registers a tool for an assistant. */
export type Tool = (server: McpServer, surroundings: Surroundings) => void;

/** The title omits the parent record, which the arguments already name. */
const shortTitle = (summary: string): string => summary.replace(/ of an? (?:project|team)$/, '');

/** Defines a tool for all transports. */
export function defineTool<A extends Arguments = Arguments>(reference: Reference, spec: ToolSpec<A>): Tool {
  const { name, effect } = spec;
  const operation = reference.operation(spec.operation);
  const { title = shortTitle(operation.summary), description = operation.purpose } = spec;
  const input = inputOf(operation, { ...spec, isRepeatable: effect === 'adds' });
  const config = {
    title,
    description,
    inputSchema: standardSchema(input.schema, (args) =>
      input.check(args).map(({ path, message }) => ({ path: path.split('.'), message })),
    ),
    annotations: EFFECTS[effect],
  };
  return (server, { call, report }) => {
    const run = async (args: unknown): Promise<CallToolResult> => {
      try {
        return toResult(await spec.run(args as A, apiOf(reference, spec.operation, call)));
      } catch (error) {
        return toErrorResult(error, report);
      }
    };
    server.registerTool(name, config, run);
  };
}

function apiOf(reference: Reference, own: string, call: CallApi): Api {
  const attempt = (args: Arguments, id = own): Promise<ApiAnswer> =>
    call(reference.operation(id).request(args));
  return {
    attempt,
    ask: async (args, id) => {
      const answer = await attempt(args, id);
      if (answer.status >= 400) {
        throw new RefusedError(answer);
      }
      return answer;
    },
  };
}

interface Issue {
  path: readonly string[];
  message: string;
}

/** A JSON schema in the SDK's format, with custom validation. */
function standardSchema(
  schema: JsonSchema,
  check: (value: unknown) => readonly Issue[],
): StandardSchemaWithJSON {
  const toJson = (): Record<string, unknown> => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'gosset',
      validate: (value) => {
        const issues = check(value);
        return issues.length > 0 ? { issues } : { value };
      },
      jsonSchema: { input: toJson, output: toJson },
    },
  };
}

/** Returns the sentences and the data as text, because some hosts show only text to the assistant. */
function toResult({ text, data }: Told): CallToolResult {
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
  const text = isExpected ? error.message : 'The MCP server failed.';
  return { content: [{ type: 'text', text }], isError: true };
}
