import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;
type Operation = Json & { security?: object[]; responses: Record<string, Json>; parameters?: Json[] };

/** The generator runs in a separate process, because its packages are ES modules, which the tests cannot load. */
const GENERATOR = join(__dirname, '../../node_modules/openapi-typescript/bin/cli.js');

const HEADING = `// Generated from the server's OpenAPI document by \`npm run generate\`. Do not edit.\n\n`;

/** Generates the types of the client, for all operations that accept an API token. */
export function clientSchema(document: OpenAPIObject): string {
  const options = ['--default-non-nullable=false', '--array-length'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [GENERATOR, ...options], {
    encoding: 'utf8',
    input: JSON.stringify(forClient(document)),
    maxBuffer: 16 * 1024 * 1024,
  });
  if (status !== 0) {
    throw new Error(`openapi-typescript failed: ${stderr}`);
  }
  return HEADING + stdout;
}

/** Moves parts that many operations repeat into components, so that the types stay readable and comparable. */
function forClient(document: OpenAPIObject): Json {
  const copy = JSON.parse(JSON.stringify(document), withoutExamples) as Json & {
    paths: Record<string, Record<string, Operation>>;
    components: Json & { schemas: Json };
  };
  const shared = { responses: new Shared('responses'), parameters: new Shared('parameters') };
  for (const [path, item] of Object.entries(copy.paths)) {
    const operations = Object.values(item).filter(isOpenedByToken);
    if (operations.length === 0) {
      Reflect.deleteProperty(copy.paths, path);
    }
    for (const operation of operations) {
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses).map(([status, { headers: _, ...answer }]) => [
          status,
          Number(status) < 300 ? answer : shared.responses.refer(`Refusal${status}`, answer),
        ]),
      );
      operation.parameters = operation.parameters?.map((parameter) =>
        shared.parameters.refer(String(parameter.name), parameter),
      );
    }
  }
  copy.components = {
    ...copy.components,
    // Responses of the client have no headers.
    headers: undefined,
    responses: shared.responses.all,
    parameters: shared.parameters.all,
  };
  leaveOutUnused(copy, copy.components.schemas);
  return copy;
}

/** Removes examples of whole bodies, which the reference already shows. */
const withoutExamples = (key: string, value: unknown): unknown =>
  key === 'examples' || (key === 'example' && typeof value === 'object') ? undefined : value;

function leaveOutUnused(document: Json, schemas: Json): void {
  const unused = Object.keys(schemas).filter(
    (name) => !JSON.stringify(document).includes(`"#/components/schemas/${name}"`),
  );
  for (const name of unused) {
    Reflect.deleteProperty(schemas, name);
  }
  if (unused.length > 0) {
    leaveOutUnused(document, schemas);
  }
}

const isOpenedByToken = (value: unknown): value is Operation =>
  JSON.stringify((value as Operation).security) === '[{"bearer":[]}]';

/** Named parts of the document. Equal parts share a name. */
class Shared {
  readonly all: Record<string, Json> = {};

  constructor(private readonly room: string) {}

  refer(wanted: string, part: Json): Json {
    const text = JSON.stringify(part);
    const base = wanted.replace(/\W/g, '');
    let name = base;
    for (let count = 2; name in this.all && JSON.stringify(this.all[name]) !== text; count += 1) {
      name = `${base}${count}`;
    }
    this.all[name] = part;
    return { $ref: `#/components/${this.room}/${name}` };
  }
}
