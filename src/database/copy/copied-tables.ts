import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import { createWriter, Entities } from '../data-source';

/** How a column's values are converted between the engines. */
export type ValueKind = 'integer' | 'text' | 'bytes';

/** Column types as declared by entities; see columns.ts. Decimals on MySQL are text on SQLite. */
const KINDS: Readonly<Record<string, ValueKind>> = {
  integer: 'integer',
  bigint: 'integer',
  boolean: 'integer',
  varchar: 'text',
  text: 'text',
  blob: 'bytes',
};

export interface CopiedColumn {
  name: string;
  kind: ValueKind;
}

/** A table to copy. */
export interface CopiedTable {
  name: string;
  columns: readonly CopiedColumn[];
  /** Indexes of the primary-key columns within `columns`. */
  key: readonly number[];
  /** Whether the database generates the ids. */
  hasCounter: boolean;
  /** Whether a row can take up several megabytes. */
  isLong: boolean;
}

/**
 * All tables, sorted by name, except that each table comes after the tables that it refers to. TypeORM lists tables in
 * the order in which modules were loaded. The list is derived from the entities, so no table is ever missing.
 * @throws Error if an entity has a column type that cannot be copied
 */
export async function copiedTables(entities: Entities): Promise<CopiedTable[]> {
  const source = await createWriter({ engine: 'sqlite', file: ':memory:' }, entities);
  await source.initialize();
  try {
    return inOrderOfReferences([...source.entityMetadatas].sort(byName)).map(describe);
  } finally {
    await source.destroy();
  }
}

const byName = (one: EntityMetadata, other: EntityMetadata): number =>
  one.tableName < other.tableName ? -1 : 1;

function inOrderOfReferences(all: readonly EntityMetadata[]): EntityMetadata[] {
  const ordered = new Set<EntityMetadata>();
  const add = (metadata: EntityMetadata, path: readonly EntityMetadata[]): void => {
    if (path.includes(metadata)) {
      throw new Error(`Tables have circular foreign keys: ${metadata.tableName}.`);
    }
    if (ordered.has(metadata)) {
      return;
    }
    metadata.foreignKeys
      .map(({ referencedEntityMetadata }) => referencedEntityMetadata)
      .forEach((referenced) => add(referenced, [...path, metadata]));
    ordered.add(metadata);
  };
  all.forEach((metadata) => add(metadata, []));
  return [...ordered];
}

function describe(metadata: EntityMetadata): CopiedTable {
  return {
    name: metadata.tableName,
    columns: metadata.columns.map((column) => ({ name: column.databaseName, kind: kindOf(column) })),
    key: metadata.primaryColumns.map((column) => metadata.columns.indexOf(column)),
    hasCounter: metadata.primaryColumns.some(({ isGenerated }) => isGenerated),
    isLong: metadata.columns.some(({ type }) => type === 'text' || type === 'blob'),
  };
}

function kindOf({ type, entityMetadata, databaseName }: ColumnMetadata): ValueKind {
  const kind = KINDS[String(type)];
  if (kind === undefined) {
    throw new Error(`${entityMetadata.tableName}.${databaseName} has the type ${String(type)}.`);
  }
  return kind;
}
