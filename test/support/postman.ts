import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/*
 * Postman's own tools, run as users run them: one creates a collection from the OpenAPI document, and the other sends
 * its requests. Both run in separate processes, because they load many modules.
 */

export interface PostmanRequest {
  method: string;
  url: { path: string[]; variable: { key: string; value: string }[] };
  auth?: { bearer?: { value: string }[] } | null;
  body?: { raw?: string };
}

export interface PostmanItem {
  name: string;
  request: PostmanRequest;
}

interface PostmanFolder {
  name: string;
  item: (PostmanItem | PostmanFolder)[];
}

export type PostmanCollection = PostmanFolder & { variable: { key: string; value: string }[] };

const run = promisify(execFile);
const tool = (path: string): string => join(__dirname, '../node_modules', path);

/** Takes values from the examples in the document, and omits optional parameters. */
const OPTIONS =
  'folderStrategy=Tags,parametersResolution=Example,enableOptionalParameters=false,requestNameSource=Fallback';

async function inFolder<T>(work: (file: (name: string) => string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-postman-'));
  try {
    return await work((name) => join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates a collection from the text of an OpenAPI document. */
export const collectionFrom = (document: string): Promise<PostmanCollection> =>
  inFolder(async (file) => {
    writeFileSync(file('openapi.json'), document);
    const converter = tool('openapi-to-postmanv2/bin/openapi2postmanv2.js');
    const files = ['-s', file('openapi.json'), '-o', file('collection.json')];
    await run(process.execPath, [converter, ...files, '-O', OPTIONS]);
    return JSON.parse(readFileSync(file('collection.json'), 'utf8')) as PostmanCollection;
  });

/** All requests in a collection, including those in folders. */
export const requestsOf = (folder: PostmanFolder): PostmanItem[] =>
  folder.item.flatMap((entry) => ('item' in entry ? requestsOf(entry) : entry));

export interface Sent {
  name: string;
  /** The status of the response; null if there was no response. */
  status: number | null;
  text: string;
}

interface Report {
  run: { executions: { item: { name: string }; response?: { code: number; stream: { data: number[] } } }[] };
}

/** Sends all requests, one after another. */
export const sendAll = (items: PostmanItem[], variables: Record<string, string>): Promise<Sent[]> =>
  inFolder(async (file) => {
    const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
    const variable = Object.entries(variables).map(([key, value]) => ({ key, value }));
    writeFileSync(
      file('collection.json'),
      JSON.stringify({ info: { name: 'Gosset', schema }, item: items, variable }),
    );
    const report = [
      '--reporters',
      'json',
      '--reporter-json-export',
      file('report.json'),
      '--suppress-exit-code',
    ];
    await run(process.execPath, [tool('newman/bin/newman.js'), 'run', file('collection.json'), ...report]);
    const { executions } = (JSON.parse(readFileSync(file('report.json'), 'utf8')) as Report).run;
    return executions.map(({ item: { name }, response }) => ({
      name,
      status: response?.code ?? null,
      text: Buffer.from(response?.stream.data ?? []).toString(),
    }));
  });
