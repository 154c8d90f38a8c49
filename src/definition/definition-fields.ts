import { inputFields, outputFields } from '../common/validation/fields';
import { EXPERIMENT_DEFINITION } from '../experiments/definition-fields';
import { UpdateProject } from '../projects/project.record';
import type { Resource } from '../projects/resources/resource';
import { UpdateProjectSettings } from '../projects/settings/project-settings.record';
import { RESOURCES } from '../resources/registry';
import { UpdateVariation } from '../experiments/variations/variation.record';

/** A field of an item in a definition. */
export interface DefinitionField {
  /** The field's name in the document. */
  name: string;
  /** The field's name in records and request bodies. */
  column: string;
  /** The collection whose api_names the field contains instead of ids; null for plain values. */
  references: string | null;
  /** Whether visitors may notice a change to the field. */
  isSeen: boolean;
}

/** The resources that a definition contains; each one comes after the resources that it references. */
export const DEFINED: readonly Resource[] = RESOURCES.filter(
  ({ hasApiName, inDefinition }) => hasApiName && inDefinition !== false,
);

/** The lists of a definition, in document order. */
export const SECTIONS: readonly string[] = [...DEFINED.map(({ collection }) => collection), 'experiments'];

/** Record fields that no definition contains: ids, and values that the server sets. */
const RECORD_ONLY = ['id', 'project_id', 'created_at', 'updated_at'];
/** Fields whose changes visitors do not notice. */
const UNSEEN = ['name', 'description'];

function field(column: string, references: string | null, isSeen: boolean): DefinitionField {
  const name = references === null ? column : column.replace(/_id$/, '');
  return { name, column, references, isSeen };
}

const plain = (column: string): DefinitionField => field(column, null, !UNSEEN.includes(column));

/** The fields with the api_name first, because it identifies the item, and the name second. */
const inOrder = (fields: readonly DefinitionField[]): DefinitionField[] => {
  const first = ['api_name', 'name'];
  const named = first.flatMap((name) => fields.filter((each) => each.name === name));
  return [...named, ...fields.filter(({ name }) => !first.includes(name))];
};

function fieldsOf({ writes, record, references = {} }: Resource): DefinitionField[] {
  const shown = outputFields(record).filter((column) => !RECORD_ONLY.includes(column));
  const written: readonly string[] = writes === undefined ? shown : inputFields(writes.update);
  return inOrder(
    shown
      .filter((column) => written.includes(column))
      .map((column) =>
        Object.hasOwn(references, column) ? field(column, references[column].to, true) : plain(column),
      ),
  );
}

const EXPERIMENT: DefinitionField[] = inOrder(
  Object.entries(EXPERIMENT_DEFINITION).flatMap(([column, decided]) =>
    decided === null ? [] : [field(column, decided.references ?? null, decided.isSeen)],
  ),
);

const BY_SECTION: ReadonlyMap<string, readonly DefinitionField[]> = new Map([
  ...DEFINED.map((resource): [string, DefinitionField[]] => [resource.collection, fieldsOf(resource)]),
  ['experiments', EXPERIMENT],
]);

/** The fields of items in a section. For experiments, status and variations are excluded. */
export const fieldsIn = (section: string): readonly DefinitionField[] => BY_SECTION.get(section) ?? [];

/** Parts of an experiment that are written separately from its fields. */
export const OF_EXPERIMENT: readonly string[] = ['status', 'variations'];

export const VARIATION_FIELDS: readonly DefinitionField[] = inOrder(inputFields(UpdateVariation).map(plain));

/** The project's fields, except its name, because a document may be applied to a different project. */
export const PROJECT_FIELDS: readonly DefinitionField[] = inputFields(UpdateProject)
  .filter((column) => column !== 'name')
  .map((column) => field(column, null, false));

/** Settings that affect pages and visitors. Other settings affect how results are evaluated and shown. */
const SEEN_SETTINGS: readonly (keyof UpdateProjectSettings)[] = [
  'allowed_origins',
  'events_per_minute',
  'push_to',
];

export const SETTINGS_FIELDS: readonly DefinitionField[] = inputFields(UpdateProjectSettings).map((column) =>
  field(
    column,
    null,
    SEEN_SETTINGS.some((seen) => seen === column),
  ),
);
