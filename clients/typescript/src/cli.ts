#!/usr/bin/env node
import process from 'node:process';
import { parseArgs } from 'node:util';
import { type Definition, readDefinition, writeDefinition } from './definition-file.js';
import { createGosset, GossetError, type Gosset, ok, type Schemas } from './index.js';
import { print } from './output.js';
import { placeText, planned, planText } from './plan-text.js';

const USAGE = `Usage: gosset <export|plan|apply> --project ID [--file FILE] [options]

  export   write the definition of the project to the file (standard output without --file)
  plan     print what applying the file would change
  apply    apply the file; prints the plan, and stores it with --yes only

  --project ID     the project; default GOSSET_PROJECT
  --file FILE      YAML, or JSON if it ends in .json; "-" is standard input or output
  --prune          delete items that are missing from the file's lists
  --status         move experiments to the statuses of the file
  --if-match TAG   fail if the definition has changed since the plan with this ETag
  --json           print JSON
  --yes            store the changes

Environment: GOSSET_URL (default http://localhost:3000), GOSSET_TOKEN.
Exit codes: 0 no changes, or applied; 2 changes planned; 1 error.`;

const PATH = '/api/projects/{project}/definition';

const OPTIONS = {
  project: { type: 'string' },
  file: { type: 'string', short: 'f' },
  prune: { type: 'boolean', default: false },
  status: { type: 'boolean', default: false },
  'if-match': { type: 'string' },
  json: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const parse = (args: string[]) => parseArgs({ args, options: OPTIONS, allowPositionals: true });

type Options = ReturnType<typeof parse>['values'];

interface Invocation {
  gosset: Gosset;
  project: number;
  options: Options;
}

interface Plan extends Invocation {
  definition: Definition;
  etag: string;
}

/** @returns the exit code */
async function main(args: string[]): Promise<number> {
  const { values: options, positionals } = parse(args);
  const [command = '', ...others] = positionals;
  if (options.help) {
    await print(`${USAGE}\n`);
    return 0;
  }
  if (!['export', 'plan', 'apply'].includes(command) || others.length > 0) {
    throw new Error(USAGE);
  }
  const token = process.env.GOSSET_TOKEN ?? '';
  if (token === '') {
    throw new Error('Set GOSSET_TOKEN to an API token.');
  }
  const project = Number(options.project ?? process.env.GOSSET_PROJECT);
  if (!Number.isSafeInteger(project) || project < 1) {
    throw new Error('Set the project id with --project or GOSSET_PROJECT.');
  }
  const invocation = { gosset: connect(token), project, options };
  return command === 'export' ? write(invocation) : run(command, invocation);
}

function connect(token: string): Gosset {
  const url = process.env.GOSSET_URL ?? 'http://localhost:3000';
  if (!/^https?:\/\//.test(url)) {
    throw new Error(`GOSSET_URL must begin with http:// or https://, but it is ${url}.`);
  }
  const reach = (request: Request): Promise<Response> =>
    fetch(request).catch((cause: unknown) => {
      throw new Error(`No server responds at ${url}. Start it, or set GOSSET_URL to its address.`, { cause });
    });
  return createGosset({ url, token, fetch: reach });
}

async function write({ gosset, project, options }: Invocation): Promise<number> {
  const definition = await ok(gosset.GET(PATH, { params: { path: { project } } }));
  await writeDefinition(options.file ?? '-', definition, options.json);
  return 0;
}

/** Plans the changes. `apply --yes` then makes them, but only if nothing has changed since the plan. */
async function run(command: string, invocation: Invocation): Promise<number> {
  const { options } = invocation;
  if (options.file === undefined) {
    throw new Error('Name the file with --file.');
  }
  const definition = await readDefinition(options.file);
  const etag = options['if-match'] ?? (await presentTag(invocation));
  const plan = { ...invocation, definition, etag };
  const changes = await send(plan, true);
  const hasChanges = planned(changes).length > 0;
  const applies = command === 'apply' && options.yes && hasChanges;
  if (applies) {
    await send(plan, false).catch(reportUnknownOutcome);
  }
  const end = applies ? 'Applied.' : `Nothing was stored. The plan is for ${etag}`;
  const text = `${planText(changes)}\n${hasChanges ? `${end}\n` : ''}`;
  await print(
    options.json ? `${JSON.stringify({ etag, applied: applies, changes }, null, 2)}\n` : text,
  ).catch((cause: unknown) => {
    const what = applies ? 'The changes were applied, but' : 'Nothing was stored, and';
    throw new Error(`${what} the output cannot be written: ${(cause as Error).message}`, { cause });
  });
  return hasChanges && !applies ? 2 : 0;
}

/** After an error of the server or the network, the changes may have been applied. */
function reportUnknownOutcome(error: unknown): never {
  if (error instanceof GossetError && error.status < 500) {
    throw error;
  }
  throw new Error(`${explain(error)}\nIt is unknown whether the changes were applied. Plan again.`, {
    cause: error,
  });
}

/** The ETag of the current definition. Without the ETag, the command would overwrite changes made by others. */
async function presentTag({ gosset, project }: Invocation): Promise<string> {
  const { data, error, response } = await gosset.GET(PATH, { params: { path: { project } } });
  if (data === undefined) {
    throw new GossetError(response, error);
  }
  const etag = response.headers.get('etag');
  if (etag === null) {
    throw new Error('The response has no ETag, so nothing was planned. Does a proxy remove it?');
  }
  return etag;
}

async function send(
  { gosset, project, options, definition, etag }: Plan,
  isDryRun: boolean,
): Promise<Schemas['DefinitionChange'][]> {
  const flag = (isOn: boolean): '1' | '0' => (isOn ? '1' : '0');
  const query = { dry_run: flag(isDryRun), prune: flag(options.prune), status: flag(options.status) };
  const { data, error, response } = await gosset.PUT(PATH, {
    params: { path: { project }, query },
    body: definition,
    headers: { 'If-Match': etag },
  });
  if (data === undefined) {
    throw new GossetError(response, error);
  }
  return data.changes;
}

function explain(error: unknown): string {
  if (!(error instanceof GossetError)) {
    return error instanceof Error ? error.message : String(error);
  }
  if (error.status === 412) {
    return 'The definition has changed since the plan. Plan again.';
  }
  if (error.status === 404) {
    return '404 Not Found: check the project id and GOSSET_URL, and that the token has access to the project.';
  }
  const places = Object.entries(error.errors).flatMap(([path, messages]) =>
    messages.map((message) => `  ${placeText(path)}: ${message}`),
  );
  return [`${error.status} ${error.message}`, ...places].join('\n');
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
