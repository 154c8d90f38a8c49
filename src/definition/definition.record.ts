import { ApiExtraModels, ApiSchema, getSchemaPath, PartialType } from '@nestjs/swagger';
import { Output } from '../common/validation/fields';
import { ExperimentRecord } from '../experiments/experiment.record';
import { ProjectRecord } from '../projects/project.record';
import { ProjectSettingsRecord } from '../projects/settings/project-settings.record';
import { Definition, FORMAT, Item, NamesById, toItem } from './definition';
import type { DefinitionDifference } from './definition-changes';
import {
  DEFINED,
  DefinitionField,
  fieldsIn,
  PROJECT_FIELDS,
  SECTIONS,
  SETTINGS_FIELDS,
  VARIATION_FIELDS,
} from './definition-fields';

const ITEM = { type: 'object', additionalProperties: true } as const;
const OPTIONAL_TEXT = { type: 'string', nullable: true } as const;
const CHANGED = { ...ITEM, nullable: true } as const;

const fieldNames = (fields: readonly DefinitionField[]): string =>
  fields.map(({ name }) => `\`${name}\``).join(', ');

const EXPERIMENTS = `Keyed by \`api_name\`, with \`status\` and ${fieldNames(fieldsIn('experiments'))}. \`variations\` are in order of creation, with ${fieldNames(VARIATION_FIELDS)}.`;

const Section = (section: string): PropertyDecorator =>
  Output({
    type: 'array',
    items: {
      ...ITEM,
      properties: { api_name: { type: 'string', description: 'Identifies the item.' } },
      required: ['api_name'],
    },
    description:
      section === 'experiments'
        ? EXPERIMENTS
        : `Keyed by \`api_name\`, with ${fieldNames(fieldsIn(section))}.`,
  });

/** The document also has a list for each resource in the registry. See `SECTIONS`. */
@ApiSchema({
  description:
    'All definitions of a project. References are api_names. The document contains no ids, secrets, links or results.',
})
export class DefinitionRecord {
  @Output({ type: 'integer', enum: [FORMAT], description: 'Version of the document format.' })
  version: typeof FORMAT;

  @Output({ ...ITEM, description: `${fieldNames(PROJECT_FIELDS)} of the project.` })
  project: Item;

  @Output({ ...ITEM, description: `The settings of the project: ${fieldNames(SETTINGS_FIELDS)}.` })
  settings: Item;

  static readonly example: Definition = exampleDefinition();
}

for (const section of SECTIONS) {
  Section(section)(DefinitionRecord.prototype, section);
}

/** This class is defined after the lists, because it copies the fields that `DefinitionRecord` has at this point. */
@ApiSchema({
  description:
    'Definitions to apply to a project, in the format of the export. Omitted records and fields stay unchanged.',
})
export class ApplyDefinition extends PartialType(DefinitionRecord) {}

function exampleDefinition(): Definition {
  const records = [...DEFINED.map(({ collection, record }) => [collection, record.example] as const)];
  const names: NamesById = new Map(
    records.map(([collection, { id, ...record }]) => [
      collection,
      new Map([[id, (record as { api_name?: string }).api_name ?? '']]),
    ]),
  );
  const { example } = ExperimentRecord;
  const { api_name, name, ...fields } = toItem(fieldsIn('experiments'), example, names);
  const variations = example.variations.map((each) => toItem(VARIATION_FIELDS, each, names));
  return {
    version: FORMAT,
    project: toItem(PROJECT_FIELDS, ProjectRecord.example, names),
    settings: toItem(SETTINGS_FIELDS, ProjectSettingsRecord.example, names),
    ...Object.fromEntries(
      records.map(([collection, record]) => [collection, [toItem(fieldsIn(collection), record, names)]]),
    ),
    experiments: [{ api_name, name, status: example.status, ...fields, variations }],
  };
}

@ApiSchema({ description: 'A change that applying the document makes, or would make.' })
export class DefinitionChange {
  @Output({
    type: 'string',
    description:
      '`project`, `project_settings`, `experiment`, `variation`, or the type of a resource, such as `goal`.',
  })
  kind: string;

  @Output({ ...OPTIONAL_TEXT, description: 'Null for the project and its settings.' })
  api_name: string | null;

  @Output({ ...OPTIONAL_TEXT, description: 'For variations, the api_name of the experiment.' })
  experiment: string | null;

  @Output({
    type: 'string',
    enum: ['create', 'update', 'delete', 'move'],
    description: '`move` is a status change of an experiment.',
  })
  action: DefinitionDifference['action'];

  @Output({
    ...CHANGED,
    description: 'Old values of the changed fields, or the whole deleted item. Null for a new item.',
  })
  before: Item | null;

  @Output({
    ...CHANGED,
    description: 'New values of the changed fields, or the whole new item. Null for a deleted item.',
  })
  after: Item | null;

  @Output({
    type: 'boolean',
    description:
      'Whether the change affects visitors in running experiments. Changes to texts and tags do not affect them.',
  })
  live: boolean;

  @Output({
    type: 'integer',
    minimum: 0,
    description: 'Current number of participants of the affected running experiments. 0 unless `live`.',
  })
  participants: number;

  @Output({
    ...OPTIONAL_TEXT,
    enum: ['prune', 'status', null],
    description: 'Null if the request makes this change. Otherwise, the parameter that the change requires.',
  })
  skipped: 'prune' | 'status' | null;
}

@ApiExtraModels(DefinitionChange)
@ApiSchema({ description: 'The changes that applying a document makes.' })
export class DefinitionChanges {
  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(DefinitionChange) },
    description:
      'In document order, with skipped changes last. Empty if the project already matches the document.',
  })
  changes: DefinitionChange[];

  static readonly example: DefinitionChanges = {
    changes: [
      {
        kind: 'experiment',
        api_name: 'green-buy-button',
        experiment: null,
        action: 'update',
        before: { traffic_allocation: 50 },
        after: { traffic_allocation: 100 },
        live: true,
        participants: 1204,
        skipped: null,
      },
      {
        kind: 'goal',
        api_name: 'order-placed',
        experiment: null,
        action: 'delete',
        before: { api_name: 'order-placed', name: 'Order placed' },
        after: null,
        live: false,
        participants: 0,
        skipped: 'prune',
      },
    ],
  };
}
