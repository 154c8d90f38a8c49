import { ApiSchema, OmitType } from '@nestjs/swagger';
import { Unstored } from '../common/openapi/operation';
import { changeTexts, createText, readTexts } from '../common/openapi/resource-texts';
import { formatMicros } from '../common/time/clock';
import { IntegerField, OneOfField, PercentField } from '../common/validation/body-fields';
import { Output } from '../common/validation/fields';
import {
  CreatedAt,
  Description,
  DescriptionField,
  Id,
  Name,
  NameField,
  UpdatedAt,
} from '../common/validation/record-fields';
import type { Rule } from '../common/validation/rules';
import { VERSION } from '../config/version';
import { Project, STATISTICS_METHODS, STORAGES } from './project.entity';

/* Descriptions of settings, shared by requests and responses. */
const STORAGE = "Where the snippet stores a visitor's id and variations.";
const SIGNIFICANCE = 'Required confidence of a result, in percent. 95 accepts one false positive in twenty.';
const MIN_CONVERSIONS =
  'Minimum conversions. A verdict requires twice this number for the original and the variation together.';
const MIN_RUNTIME_DAYS = 'Minimum runtime in days before a verdict. Use whole weeks.';

@ApiSchema({
  description: 'A site or product with its experiments and its rules for results.',
})
export class ProjectRecord {
  @Id()
  id: number;

  @Id('Id of the team.')
  team_id: number;

  @Name()
  name: string;

  @Output({
    type: 'string',
    enum: STORAGES,
    description: STORAGE,
  })
  storage: Project['storage'];

  @Output({
    type: 'integer',
    minimum: 0,
    description: 'Number of the latest publication. 0 before the first publication.',
  })
  snippet_revision: number;

  @Output({ type: 'string', description: 'Version of the snippet runtime.' })
  snippet_version: string;

  @Output({ type: 'string', format: 'uri', description: 'URL of the script for your site.' })
  snippet_url: string;

  @Output({
    type: 'string',
    description: 'Public key that can only read publications and send events.',
  })
  client_key: string;

  @Description()
  description: string | null;

  @Output({ type: 'number', minimum: 50, maximum: 99.99, description: SIGNIFICANCE })
  significance: number;

  @Output({ type: 'integer', minimum: 0, maximum: 1_000_000, description: MIN_CONVERSIONS })
  min_conversions: number;

  @Output({ type: 'integer', minimum: 0, maximum: 365, description: MIN_RUNTIME_DAYS })
  min_runtime_days: number;

  @Output({
    type: 'string',
    enum: STATISTICS_METHODS,
    description: 'Statistical method that determines when a result is conclusive.',
  })
  statistics_method: Project['statistics_method'];

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: ProjectRecord = {
    id: 1,
    team_id: 1,
    name: 'Shop',
    storage: 'localStorage',
    snippet_revision: 0,
    snippet_version: VERSION,
    snippet_url: 'https://ab.example.com/s/pk_5Yb2kQe7RtUw9ZxC3vBn1mAs.js',
    client_key: 'pk_5Yb2kQe7RtUw9ZxC3vBn1mAs',
    description: null,
    significance: 95,
    min_conversions: 25,
    min_runtime_days: 7,
    statistics_method: 'sequential',
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

/** The API record of a project. @param publicUrl the public URL of the server */
export function toProjectRecord(row: Project, publicUrl: string): ProjectRecord {
  return {
    id: row.id,
    team_id: row.team_id,
    name: row.name,
    storage: row.storage,
    snippet_revision: row.snippet_revision,
    snippet_version: VERSION,
    snippet_url: `${publicUrl}/s/${row.client_key}.js`,
    client_key: row.client_key,
    description: row.description,
    significance: row.significance,
    min_conversions: row.min_conversions,
    min_runtime_days: row.min_runtime_days,
    statistics_method: row.statistics_method,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}

/** A project in the response to a dry run. */
@ApiSchema({ description: 'A project in a dry run, without id and client key.' })
export class DryRunProjectRecord extends OmitType(ProjectRecord, ['id', 'client_key', 'snippet_url']) {
  @Unstored()
  id: null;

  @Unstored()
  client_key: null;

  @Unstored()
  snippet_url: null;

  static readonly example: DryRunProjectRecord = toUnstoredProject(ProjectRecord.example);
}

/** The record of a new project in the response to a dry run. */
export function toUnstoredProject(record: ProjectRecord): DryRunProjectRecord {
  return { ...record, id: null, client_key: null, snippet_url: null };
}

const NO_FRACTION: Rule = {
  name: 'isNoFraction',
  isMet: (value) => !(typeof value === 'number' && value > 0 && value < 1),
  message: (label, value) =>
    `The ${label} is a percentage between 50 and 99.99: send ${Number(((value as number) * 100).toFixed(2))}, not ${String(value)}.`,
};

@ApiSchema({ description: 'Project settings that can be changed. Absent fields stay unchanged.' })
export class UpdateProject {
  @NameField()
  name?: string;

  @DescriptionField()
  description?: string | null;

  @PercentField(
    50,
    99.99,
    { description: `${SIGNIFICANCE} At most two decimal places. A fraction such as 0.95 is rejected.` },
    [NO_FRACTION],
  )
  significance?: number;

  @IntegerField(0, 1_000_000, { description: MIN_CONVERSIONS })
  min_conversions?: number;

  @IntegerField(0, 365, { description: MIN_RUNTIME_DAYS })
  min_runtime_days?: number;

  static readonly example = { significance: 97.5, min_runtime_days: 14 };
}

@ApiSchema({ description: 'A new project. Only the name is required.' })
export class CreateProject {
  @NameField({ required: true })
  name: string;

  @OneOfField(STORAGES, {
    default: 'localStorage',
    description: `${STORAGE} A cookie works on all subdomains of a site. Cannot be changed later.`,
  })
  storage?: Project['storage'];

  static readonly example = { name: 'Shop', storage: 'cookie' };
}

/** The maximum number of projects in a team, not counting deleted ones. */
export const MAX_PROJECTS = 1_000;

const PROJECT = { id: 'Project', one: 'a project', many: 'the projects of a team' };

/** Reference texts for projects. */
export const PROJECT_TEXTS = {
  ...readTexts(
    PROJECT,
    `A project is one site or product with its experiments, audiences, pages and goals. Sites use \`client_key\` and
\`snippet_url\`. \`significance\`, \`min_conversions\` and \`min_runtime_days\` determine when a result is conclusive.`,
  ),
  create: createText(
    PROJECT,
    `Creates a project with its own client key and one environment, \`Production\`, which applies everywhere. Only team
admins can create projects. Tokens limited to projects cannot create projects. A team can have up to ${MAX_PROJECTS} projects.`,
  ),
  ...changeTexts(PROJECT, {
    update: `Changes name, description, and the rules for results: \`significance\`, \`min_conversions\` and
\`min_runtime_days\`. New rules apply to running experiments immediately, except that a plan keeps the minimums of its first start. Set them before you look at results.`,
    remove: `Moves the project to the trash. An administrator can restore it within 30 days. Rejected with 422 while one of its
experiments is running.`,
  }),
};
