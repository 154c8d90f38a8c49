import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { Document, parse, Scalar, visit } from 'yaml';
import type { Schemas } from './index.js';
import { print } from './output.js';

/** A definition to apply: what it leaves out stays unchanged. */
export type Definition = Schemas['ApplyDefinition'];

/** Only malicious files have more aliases than this; expanding them would fill the memory. */
const MAX_ALIASES = 100;

const isJson = (file: string): boolean => file.endsWith('.json');

/** The text of a definition: stable, in the order of the server, with code as block scalars in YAML. */
const toText = (definition: unknown, asJson: boolean): string =>
  asJson ? `${JSON.stringify(definition, null, 2)}\n` : toYaml(definition);

function toYaml(definition: unknown): string {
  const document = new Document(definition, { aliasDuplicateObjects: false });
  // As a block scalar, a text of blanks and line breaks would lose its blanks.
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
    throw new Error(`${file} holds no definition: it must be an object with parts such as experiments.`);
  }
  // Aliases that contain themselves are an error here.
  return JSON.parse(JSON.stringify(value)) as Definition;
}

/** YAML 1.2 core has no dates and no merge keys; keys that occur twice are errors. */
const parsed = (file: string, content: string): unknown =>
  isJson(file) ? JSON.parse(content) : parse(content, { maxAliasCount: MAX_ALIASES });

/** Errors of the file system and of the parsers do not name the command's file. */
async function naming<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
