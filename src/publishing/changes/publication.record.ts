import { ApiExtraModels, ApiPropertyOptions, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { Output } from '../../common/validation/fields';
import { Timestamp } from '../../common/validation/record-fields';
import { AuditActor } from '../../audit/history/audit-entry.record';
import type { PublicationReason } from '../publication.entity';
import { CHANGE_ACTIONS, CHANGE_KINDS, DefinitionChange } from './definition-changes';

const OPTIONAL_ID = { type: 'integer', nullable: true } as const;
const OPTIONAL_TEXT = { type: 'string', nullable: true } as const;
const SIZE = { type: 'integer', minimum: 0 } as const;
const OPTIONAL_SIZE = { ...SIZE, nullable: true } as const;
/** The value of a changed field before or after the change. */
const VALUE = {
  nullable: true,
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', items: {} },
    { type: 'object', additionalProperties: true },
  ],
} as const satisfies ApiPropertyOptions;
const CHANGES = 'What changes for visitors, in the order of the experiments.';

@ApiSchema({ description: 'A difference between two publications.' })
export class ChangeRecord implements DefinitionChange {
  @Output({
    type: 'string',
    enum: [...CHANGE_KINDS],
    description: 'What changes. `snippet`: only the snippet runtime has a new version.',
  })
  kind: DefinitionChange['kind'];

  @Output({
    type: 'string',
    enum: [...CHANGE_ACTIONS],
    description: 'Whether the item was added, removed or changed.',
  })
  action: DefinitionChange['action'];

  @Output({ ...OPTIONAL_ID, description: 'Id of the experiment that the item is or belongs to.' })
  experiment_id: number | null;

  @Output({ ...OPTIONAL_ID, description: 'Id of the variation.' })
  variation_id: number | null;

  @Output({ ...OPTIONAL_TEXT, description: 'The field. Null if the whole item was added or removed.' })
  field: string | null;

  @Output({ ...VALUE, description: 'The old value; shares and traffic in percent. Null for code.' })
  before: unknown;

  @Output({ ...VALUE, description: 'The new value; shares and traffic in percent. Null for code.' })
  after: unknown;

  @Output({
    ...OPTIONAL_TEXT,
    description:
      'The code diff, in unified format. After 200 lines, only the number of remaining lines is given.',
  })
  diff: string | null;

  @Output({ type: 'string', description: 'Human-readable description of the change, with current names.' })
  text: string;
}

const LIST = { type: 'array', items: { $ref: getSchemaPath(ChangeRecord) }, description: CHANGES } as const;

const EXAMPLE_CHANGE: ChangeRecord = {
  kind: 'experiment',
  action: 'changed',
  experiment_id: 1001,
  variation_id: null,
  field: 'traffic',
  before: 50,
  after: 100,
  diff: null,
  text: 'Experiment “Green buy button”: traffic 50\u202f% → 100\u202f%',
};

@ApiExtraModels(AuditActor, ChangeRecord)
@ApiSchema({ description: 'A publication: one revision of the content for visitors.' })
export class PublicationRecord {
  @Output({
    type: 'integer',
    minimum: 1,
    description: 'Number of the revision in the project, starting at 1.',
  })
  revision: number;

  @Output({ type: 'boolean', description: 'Whether this revision is currently live.' })
  is_live: boolean;

  @Timestamp({ description: 'Time of the publication.' })
  created_at: string;

  @Output({ allOf: [{ $ref: getSchemaPath(AuditActor) }], description: 'The author.' })
  actor: AuditActor;

  @Output({
    type: 'string',
    enum: ['publish', 'status', 'rollback'],
    description: '`status`: an experiment was started or stopped.',
  })
  reason: PublicationReason;

  @Output({ ...OPTIONAL_ID, description: 'The revision that a rollback made live again.' })
  source_revision: number | null;

  @Output({ type: 'string', description: 'Version of the snippet runtime.' })
  snippet_version: string;

  @Output({ type: 'string', description: 'SHA-384 of the script in Base64, as for `integrity`.' })
  sha384: string;

  @Output({ ...SIZE, description: 'Size of the script in bytes.' })
  bytes: number;

  @Output({ ...SIZE, description: 'Size of the script in bytes, compressed with gzip.' })
  bytes_gzip: number;

  @Output(LIST)
  changes: ChangeRecord[];

  static readonly example: PublicationRecord = {
    revision: 12,
    is_live: true,
    created_at: '2026-05-01T09:30:00.123000Z',
    actor: { type: 'token', user_id: 3, user_name: 'Ada Admin', token_id: 12, token_name: 'Deployment' },
    reason: 'publish',
    source_revision: null,
    snippet_version: '1.0.0',
    sha384: 'oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC',
    bytes: 21_400,
    bytes_gzip: 8_300,
    changes: [EXAMPLE_CHANGE],
  };
}

@ApiSchema({ description: 'A running experiment that a publication would change.' })
export class TouchedExperiment {
  @Output({ type: 'integer', minimum: 1, description: 'Id of the experiment.' })
  id: number;

  @Output({ type: 'string', description: 'Name of the experiment.' })
  name: string;

  @Output({ type: 'integer', minimum: 0, description: 'Number of participants so far.' })
  participants: number;
}

@ApiExtraModels(ChangeRecord, TouchedExperiment)
@ApiSchema({ description: 'The changes that publishing the project now would make.' })
export class PublicationPreview {
  @Output({ type: 'boolean', description: 'Whether publishing adds a revision.' })
  has_changes: boolean;

  @Output({
    type: 'integer',
    minimum: 0,
    description: 'Number of the revision that would be live if you published now.',
  })
  revision: number;

  @Output({
    ...OPTIONAL_SIZE,
    description: 'Size of the live script in bytes. Null before the first publication.',
  })
  bytes_before: number | null;

  @Output({ ...SIZE, description: 'Size of the new script in bytes.' })
  bytes_after: number;

  @Output({ ...OPTIONAL_SIZE, description: 'Size of the live script, compressed with gzip.' })
  bytes_gzip_before: number | null;

  @Output({ ...SIZE, description: 'Size of the new script, compressed with gzip.' })
  bytes_gzip_after: number;

  @Output(LIST)
  changes: ChangeRecord[];

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(TouchedExperiment) },
    description: 'The affected experiments in `changes` that are already running.',
  })
  experiments: TouchedExperiment[];

  static readonly example: PublicationPreview = {
    has_changes: true,
    revision: 13,
    bytes_before: 21_400,
    bytes_after: 21_460,
    bytes_gzip_before: 8_300,
    bytes_gzip_after: 8_340,
    changes: [EXAMPLE_CHANGE],
    experiments: [{ id: 1001, name: 'Green buy button', participants: 4_120 }],
  };
}
