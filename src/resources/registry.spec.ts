import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';
import type { Resource } from '../projects/resources/resource';
import { RESOURCES } from './registry';

/*
 * The parts that a new resource needs in addition to its folder. Each failure message names the missing part and how to
 * add it.
 */

const ROOT = join(__dirname, '../..');
const source = join(ROOT, 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const problems = (
  isWrong: (resource: Resource) => boolean,
  advice: (resource: Resource) => string,
): string[] => RESOURCES.filter(isWrong).map(advice);

describe('a resource', () => {
  it('is registered if it is declared', () => {
    const registry = read('src/resources/registry.ts');
    const declared = files.filter((file) => file.endsWith('.resource.ts'));
    const forgotten = declared.filter(
      (file) => !registry.includes(`'./${relative('resources', file).replace(/\.ts$/, '')}'`),
    );
    expect(
      forgotten.map((file) => `src/${file}: add its resource and module to src/resources/registry.ts.`),
    ).toEqual([]);
    expect(RESOURCES).toHaveLength(declared.length);
  });

  it('is stored in the table with its name', () => {
    const tableOf = ({ entity }: Resource): unknown =>
      getMetadataArgsStorage().tables.find(({ target }) => target === entity)?.name;
    expect(
      problems(
        (resource) => tableOf(resource) !== resource.collection,
        (resource) =>
          `${resource.entity.name}: the entity must be @Entity('${resource.collection}'), not ${String(tableOf(resource))}.`,
      ),
    ).toEqual([]);
  });

  it('declares a reference for each column with the id of another record, with a foreign key', () => {
    const { columns, joinColumns } = getMetadataArgsStorage();
    const undeclared = RESOURCES.flatMap(({ entity, collection, references = {} }) =>
      columns
        .filter(({ target, propertyName }) => target === entity && /_id$/.test(propertyName))
        .filter(({ propertyName }) => propertyName !== 'project_id')
        .filter(({ propertyName }) => {
          const hasForeignKey = joinColumns.some(
            ({ target, name }) => target === entity && name === propertyName,
          );
          return !hasForeignKey || !Object.hasOwn(references, propertyName);
        })
        .map(({ propertyName }) => `${collection}.${propertyName}: add it to references, and a foreign key.`),
    );
    expect(undeclared).toEqual([]);
  });

  it('references registered resources only', () => {
    const collections = RESOURCES.map(({ collection }) => collection);
    const targets = RESOURCES.flatMap(({ references = {} }) => Object.values(references).map(({ to }) => to));
    expect(targets.filter((to) => !collections.includes(to))).toEqual([]);
  });

  it('has a migration that creates its table', () => {
    const migrations = files
      .filter((file) => file.startsWith(join('database', 'migrations')))
      .map((file) => (file.endsWith('.ts') ? read(join('src', file)) : ''))
      .join('\n');
    expect(
      problems(
        ({ collection }) => !new RegExp(`\\b${collection}\\b`).test(migrations),
        ({ collection }) =>
          `${collection}: add a migration that makes the table, by resourceTable, and run npm run generate.`,
      ),
    ).toEqual([]);
  });

  it('has a unique name', () => {
    const names = RESOURCES.flatMap(({ type, collection }) => [type, collection]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has an example', () => {
    const examples = read('docs/api.md');
    expect(
      problems(
        ({ chapter }) => !examples.includes(`\n## ${chapter}\n`),
        ({ chapter }) => `${chapter}: add a section "## ${chapter}" to docs/api.md.`,
      ),
    ).toEqual([]);
  });
});
