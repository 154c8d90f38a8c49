import { ApiSchema } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { textRules } from '../../common/validation/rules';
import type { Permission } from '../../platform/access/roles';
import type { PathItem } from '../../platform/access/scope';
import type { Created } from '../../common/http/answers';
import type { OperationText } from '../../common/openapi/operation';
import { changeTexts, createText, readTexts } from '../../common/openapi/resource-texts';
import type { Described } from '../../common/openapi/responses';
import { capitalized } from '../../common/text/strings';
import type { Failures } from '../../common/validation/failures';
import { ConstrainedField, outputFields } from '../../common/validation/fields';
import type { NamedRow } from '../../database/named-rows';
import type { Siblings } from '../api-name.store';
import type { ProjectWrite } from '../project-writer';

const MAX_SOUGHT_NAME = 2_000;

/** Body of find-by-name. The name must match exactly, including spaces. */
@ApiSchema({ description: 'The name to look for.' })
export class FindByName {
  @ConstrainedField(
    textRules(MAX_SOUGHT_NAME, 1),
    { type: 'string', minLength: 1, maxLength: MAX_SOUGHT_NAME, description: 'The exact name.' },
    { required: true },
  )
  name: string;
}

/** A row that belongs to a project. */
export interface ProjectItem extends NamedRow {
  project_id: number;
}

export interface NamedRecord {
  id: number;
  name: string;
}

export interface NamedFields {
  name?: string;
}

/** The columns that are specific to a resource. */
export type OwnColumns<E extends ProjectItem> = Omit<E, keyof ProjectItem | 'project' | 'api_name'>;

/** The context of a rule, which gives it access to data and collects validation errors. */
export interface RuleContext {
  manager: EntityManager;
  projectId: number;
  failures: Failures;
}

type BodyClass<T> = (new () => T) & Described;

/** The rules for creating and changing records. */
export interface ResourceWrites<E extends ProjectItem, C extends NamedFields, U extends NamedFields> {
  create: BodyClass<C>;
  update: BodyClass<U>;
  /** The columns of a new row, with defaults for absent fields. Reports errors to the context. */
  newColumns(fields: Partial<C>, context: RuleContext): OwnColumns<E> | Promise<OwnColumns<E>>;
  /** The columns for the submitted fields; by default, the fields themselves. Reports errors to the context. */
  changedColumns?(fields: Partial<U>, current: E, context: RuleContext): Partial<E> | Promise<Partial<E>>;
  /** Makes further changes in the same transaction, after a change has been stored. @param fields the changed columns */
  afterChange?(write: ProjectWrite, id: number, fields: readonly string[]): Promise<void>;
  /** Restores what was deleted along with the row, in the same transaction, after the row was inserted again. */
  afterRestore?(write: ProjectWrite, row: E): Promise<void>;
  /** The response to a create request, if it contains more than the record, such as a secret that is shown once. */
  created?: { record: Described; dryRun: Described; answer(row: E): Created<NamedRecord> };
  /** Reports why a row cannot be deleted. Uses by experiments and `references` are checked separately. */
  checkRemoval?(row: E, context: RuleContext): Promise<void>;
  /** Reference texts about possible errors and about the effect on running experiments. */
  texts: { create: string; update: string; remove: string };
}

/** A reference to a record of another resource. */
export interface Reference {
  /** The collection of the other resource, such as `pages`. */
  to: string;
  /** The records with this reference, for messages: `Pageview goals`. */
  users: string;
}

/** The declaration of a standard resource. */
interface ResourceDeclaration<
  E extends ProjectItem,
  R extends NamedRecord,
  C extends NamedFields,
  U extends NamedFields,
> {
  /** The singular, such as `exclusion_group`, used for the path parameter and as the type in the audit log. */
  type: string;
  /** The plural, such as `exclusion_groups`, used for the table, ETags and, with hyphens, the path. */
  collection: string;
  entity: new () => E;
  record: (new () => R) & { readonly example: R };
  toRecord(row: E): R;
  /** Absent if the API is read-only. */
  writes?: ResourceWrites<E, C, U>;
  /** The permission for all routes; `read` and `definitions:write` by default. */
  permission?: Permission;
  /** For resources with secrets: the part of a record, or of its changed fields, to write to the audit log. */
  audited?(fields: object): object;
  /** False if AI assistants get no tools for the resource. */
  tools?: false;
  /**
   * Fields that contain ids of other resources. The referenced record must belong to the project, and cannot be deleted
   * while records refer to it. Definitions contain api_names instead.
   */
  references?: Readonly<Record<string, Reference>>;
  /** False if definitions do not contain the resource, because its records are secret or belong to one installation. */
  inDefinition?: false;
  /** The subtitle of the resource's chapter in the reference, and the purpose of its records. */
  texts: { chapter: string; purpose: string };
}

type ReadText = 'list' | 'show' | 'find';
type WriteText = 'create' | 'put' | 'patch' | 'remove';

/** A standard resource, with values derived from its declaration. */
export interface Resource<
  E extends ProjectItem = ProjectItem,
  R extends NamedRecord = NamedRecord,
  C extends NamedFields = NamedFields,
  U extends NamedFields = NamedFields,
> extends ResourceDeclaration<E, R, C, U> {
  /** The path segment, such as `exclusion-groups`. */
  path: string;
  /** The reference chapter: `Exclusion groups`. */
  chapter: string;
  /** The plural within a sentence: `exclusion groups`. */
  plural: string;
  pathItem: PathItem;
  readTexts: Record<ReadText, OperationText>;
  /** The injection token of the resource's `ProjectItems`. */
  items: symbol;
  /** Whether records have an api_name, which is unique in the project. */
  hasApiName: boolean;
}

export interface WritableResource<
  E extends ProjectItem = ProjectItem,
  R extends NamedRecord = NamedRecord,
  C extends NamedFields = NamedFields,
  U extends NamedFields = NamedFields,
> extends Resource<E, R, C, U> {
  writes: ResourceWrites<E, C, U>;
  writeTexts: Record<WriteText, OperationText>;
}

const IDENTIFIER = /^[a-z]+(?:_[a-z]+)*$/;

/** Declares a read-only resource. */
export function defineReadOnlyResource<E extends ProjectItem, R extends NamedRecord>(
  declaration: Omit<ResourceDeclaration<E, R, NamedFields, NamedFields>, 'writes'>,
): Resource<E, R> {
  return derive(declaration);
}

/** Declares a resource that the API reads and writes. */
export function defineResource<
  E extends ProjectItem,
  R extends NamedRecord,
  C extends NamedFields,
  U extends NamedFields,
>(
  declaration: ResourceDeclaration<E, R, C, U> & { writes: ResourceWrites<E, C, U> },
): WritableResource<E, R, C, U> {
  const { writes } = declaration;
  const words = wordsOf(declaration);
  return {
    ...derive<E, R, C, U>(declaration),
    writes,
    writeTexts: { create: createText(words, writes.texts.create), ...changeTexts(words, writes.texts) },
  };
}

/** Derives a resource from its declaration. @throws Error if a name is not valid in SQL, paths and operation names */
function derive<E extends ProjectItem, R extends NamedRecord, C extends NamedFields, U extends NamedFields>(
  declaration: ResourceDeclaration<E, R, C, U>,
): Resource<E, R, C, U> {
  const { type, collection, record, texts } = declaration;
  for (const name of [type, collection]) {
    if (!IDENTIFIER.test(name)) {
      throw new Error(`The resource name ${name} must be lower-case letters, with _ between words.`);
    }
  }
  return {
    ...declaration,
    path: collection.replaceAll('_', '-'),
    chapter: capitalized(spaced(collection)),
    plural: spaced(collection),
    pathItem: { param: type, table: collection, parentColumn: 'project_id' },
    readTexts: readTexts(wordsOf(declaration), texts.purpose),
    items: Symbol(`ProjectItems of ${collection}`),
    hasApiName: outputFields(record).includes('api_name'),
  };
}

/** The singular within a sentence: `exclusion group`. */
export const singularOf = ({ type }: { type: string }): string => spaced(type);

/** The scope within which a record's api_name must be unique. */
export function siblingsOf({ type, collection }: Resource, projectId: number): Siblings {
  return {
    table: collection,
    within: { project_id: projectId },
    fallback: type.replaceAll('_', '-'),
  };
}

function wordsOf({ type, collection }: { type: string; collection: string }) {
  return {
    id: pascal(type),
    ids: pascal(collection),
    one: `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${spaced(type)}`,
    many: `the ${spaced(collection)} of a project`,
  };
}

const spaced = (name: string): string => name.replaceAll('_', ' ');
const pascal = (name: string): string => name.split('_').map(capitalized).join('');
