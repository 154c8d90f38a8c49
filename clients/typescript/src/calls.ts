import type { Client, ClientPathsWithMethod, FetchOptions, ParseAs } from 'openapi-fetch';
import type { Answer } from './answers.js';
import type { paths } from './schema.js';

/*
 * The parameters and results of requests. The types of openapi-fetch accept additional fields in parameters and bodies.
 * With the types below, a misspelled field does not compile. They also omit fields that are always null, such as the id
 * in a dry run.
 */

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

type Operation<Path extends keyof paths, M extends Method> = NonNullable<paths[Path][M]>;

type Options<Path extends keyof paths, M extends Method> = FetchOptions<Operation<Path, M>>;

/** Options can be omitted if none of their fields is required. */
type Arguments<Given> = Partial<Given> extends Given ? [options?: Given] : [options: Given];

type Content<Response> = Response extends { content: infer Media } ? Media[keyof Media] : undefined;

type Success<Op> = Op extends { responses: infer Responses }
  ? Content<Responses[keyof Responses & (200 | 201 | 204)]>
  : never;

interface Parsed<T> {
  json: T;
  text: string;
  blob: Blob;
  arrayBuffer: ArrayBuffer;
  stream: ReadableStream<Uint8Array> | null;
}

type Call<M extends Method> = <
  Path extends ClientPathsWithMethod<Client<paths>, M>,
  As extends ParseAs = 'json',
>(
  path: Path,
  ...options: Arguments<Options<Path, M> & { parseAs?: As }>
) => Promise<Answer<Parsed<Success<Operation<Path, M>>>[As]>>;

/** A client of the API. */
export interface Gosset extends Pick<Client<paths>, 'use' | 'eject'> {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
}
