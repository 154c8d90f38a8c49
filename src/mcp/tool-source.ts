import type { JsonSchema } from '../common/validation/json-schema';

/* What tools are made of. It can be written as JSON, so that a program without the application has the same tools. */

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
  /** Those of all operations of the path. */
  readonly parameters?: readonly ParameterText[];
};

/** A standard resource. */
export interface ToolResource {
  /** One of them, such as `goal`. */
  readonly type: string;
  /** Many of them, such as `goals`. */
  readonly collection: string;
  /** Many in a sentence. */
  readonly plural: string;
  /** Schema of a record. */
  readonly record: string;
  /** Operations, by id; those that change something are absent where the API only reads. */
  readonly list: string;
  readonly show: string;
  readonly create?: string;
  readonly update?: string;
}

export interface ToolSource {
  /** Of the OpenAPI document. */
  readonly paths: Readonly<Record<string, PathText>>;
  /** Its named schemas. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly resources: readonly ToolResource[];
}
