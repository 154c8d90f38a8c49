import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { Document, parse, Scalar, visit } from 'yaml';
import type { Schemas } from './index.js';
import { print } from './output.js';

/** A definition to apply. Parts that it omits stay unchanged. */
export type Definition = Schemas['ApplyDefinition'];

/** Maximum number of aliases in a YAML file. Only malicious files have more; expanding them would exhaust the memory. */
const MAX_ALIASES = 100;

const isJson = (file: string): boolean => file.endsWith('.json');

/** A definition as text, in the stable order of the server. In YAML, code is in block scalars. */
const toText = (definition: unknown, asJson: boolean): string =>
  asJson ? `${JSON.stringify(definition, null, 2)}\n` : toYaml(definition);

function toYaml(definition: unknown): string {
  const document = new Document(definition, { aliasDuplicateObjects: false });
  // If a text has only white space, a block scalar would lose all of it except line breaks.
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && /^\s+$/.test(node.value)) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  return document.toString({ lineWidth: 0, blockQuote: 'literal' });
}

/** Writes a definition. @param file `-` for standard output @param asJson JSON regardless of the file name */
export async function writeDefinition(file: string, definition: unknown, asJson: boolean): Promise<void> {
  const content = toText(definition, asJson || isJson(file));
  await naming(`Cannot write ${file}`, () => (file === '-' ? print(content) : writeFile(file, content)));
}

/** @throws Error if the file cannot be read, or does not contain an object */
export async function readDefinition(file: string): Promise<Definition> {
  const value = await naming(`Cannot read ${file}`, async () =>
    parsed(file, await (file === '-' ? text(process.stdin) : readFile(file, 'utf8'))),
  );
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(
      `${file} does not contain a definition: it must be an object with parts such as experiments.`,
    );
  }
  // This throws if an alias contains itself.
  return JSON.parse(JSON.stringify(value)) as Definition;
}

/** YAML 1.2 core has no dates and no merge keys. Duplicate keys are errors. */
const parsed = (file: string, content: string): unknown =>
  isJson(file) ? JSON.parse(content) : parse(content, { maxAliasCount: MAX_ALIASES });

/** Adds the file name to errors, because file system and parser errors do not contain it. */
async function naming<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
