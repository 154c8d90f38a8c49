import type { JsonSchema } from '../common/validation/json-schema';

/*
 * The parts of the OpenAPI document and of the resource registry from which the MCP tools are built. They can be
 * serialised as JSON, so a program that does not load the application can build the same tools.
 */

export interface ParameterText {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OperationText {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly ParameterText[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

export type PathText = Readonly<Record<'get' | 'post' | 'patch', OperationText | undefined>> & {
  /** The parameters that all operations on the path share. */
  readonly parameters?: readonly ParameterText[];
};

/** A standard resource. */
export interface ToolResource {
  /** Singular, such as `goal`. */
  readonly type: string;
  /** Plural, such as `goals`. */
  readonly collection: string;
  /** Plural within a sentence. */
  readonly plural: string;
  /** Schema of a record. */
  readonly record: string;
  /** Operation ids. If the resource is read-only, the operations that change records are absent. */
  readonly list: string;
  readonly show: string;
  readonly create?: string;
  readonly update?: string;
}

export interface ToolSource {
  /** The paths in the OpenAPI document. */
  readonly paths: Readonly<Record<string, PathText>>;
  /** The named schemas in the OpenAPI document. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly resources: readonly ToolResource[];
}
