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
import { answerSchema } from './schemas';

/** What a tool does to the project, as hosts are told, which ask the person before some of them. */
export const EFFECTS = {
  /** Only looks. */
  reads: { readOnlyHint: true, openWorldHint: false },
  /** Makes something new, again with each call. */
  adds: { destructiveHint: false, openWorldHint: false },
  /** Replaces what is there, or what visitors of the site see. */
  changes: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
} as const satisfies Record<string, ToolAnnotations>;

/** What a tool has to say: a sentence or two, and the same in full for programs. */
export interface Told {
  text: string;
  data: Record<string, unknown>;
}

/** The API, by operations of the reference. */
export interface Api {
  /**
   * Expects success. @param id another operation than that of the tool
   * @throws RefusedError when the API refuses
   */
  ask(args: Arguments, id?: string): Promise<ApiAnswer>;
  /** As `ask`, and leaves refusals to the tool. */
  attempt(args: Arguments): Promise<ApiAnswer>;
}

export interface ToolSpec<A extends Arguments = Arguments> extends Omit<Takes, 'isRepeatable'> {
  name: string;
  /** Without it the summary of the operation. */
  title?: string;
  /** Without it what the reference says the operation is for. */
  description?: string;
  effect: keyof typeof EFFECTS;
  /** The operation of the reference that it stands for, by id. */
  operation: string;
  /** What assistants are told of its answers: fields that are easily misread, as `answerSchema` takes them. */
  answer?: Readonly<Record<string, string>>;
  run: (args: A, api: Api) => Promise<Told>;
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
export function defineTool<A extends Arguments = Arguments>(reference: Reference, spec: ToolSpec<A>): Tool {
  const { name, effect } = spec;
  const operation = reference.operation(spec.operation);
  const { title = operation.summary, description = operation.purpose } = spec;
  const input = inputOf(operation, { ...spec, isRepeatable: effect === 'adds' });
  const config = {
    title,
    description,
    inputSchema: standardSchema(input.schema, (args) =>
      input.check(args).map(({ path, message }) => ({ path: path.split('.'), message })),
    ),
    // What tools answer is made of what they have checked themselves; a schema is there for what needs explaining.
    ...(spec.answer === undefined
      ? {}
      : { outputSchema: standardSchema(answerSchema(spec.answer), () => []) }),
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

/** A JSON schema as the SDK takes it, with a check of our own. */
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

/** Both texts, because some hosts show their assistant nothing but texts. */
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
  const text = isExpected ? error.message : 'Something went wrong in the server of these tools.';
  return { content: [{ type: 'text', text }], isError: true };
}
