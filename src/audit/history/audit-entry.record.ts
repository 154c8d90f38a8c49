import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { Output } from '../../common/validation/fields';
import { Timestamp } from '../../common/validation/record-fields';

/** Actor types of audit entries. */
const ACTOR_TYPES = ['user', 'token', 'schedule', 'guardrail', 'command'] as const;

export type ActorType = (typeof ACTOR_TYPES)[number];

const OPTIONAL_ID = { type: 'integer', nullable: true } as const;
const OPTIONAL_TEXT = { type: 'string', nullable: true } as const;
const CHANGED_FIELDS = { type: 'object', additionalProperties: true, nullable: true } as const;

@ApiSchema({ description: 'The author of a change.' })
export class AuditActor {
  @Output({
    type: 'string',
    enum: [...ACTOR_TYPES],
    description: `\`user\`: a person in the console. \`token\`: an API request. \`schedule\` and \`guardrail\`: the server, at a scheduled time or because of a guardrail. \`command\`: the admin command, or the server in other cases, such as disabling a webhook whose receiver is gone.`,
  })
  type: ActorType;

  @Output({ ...OPTIONAL_ID, description: 'Id of the user, or of the user that the token belongs to.' })
  user_id: number | null;

  @Output({ ...OPTIONAL_TEXT, description: 'Current name of the user. Null if the user no longer exists.' })
  user_name: string | null;

  @Output({ ...OPTIONAL_ID, description: 'Id of the API token.' })
  token_id: number | null;

  @Output({ ...OPTIONAL_TEXT, description: 'Name of the API token. Null if the token was revoked.' })
  token_name: string | null;
}

@ApiExtraModels(AuditActor)
@ApiSchema({ description: 'A change in a project.' })
export class AuditEntryRecord {
  @Output({
    type: 'integer',
    minimum: 1,
    description: 'Id of the entry. Within a project, later entries have higher ids.',
  })
  id: number;

  @Timestamp({ description: 'Time of the change: ISO 8601, UTC, with microseconds.' })
  created_at: string;

  @Output({ allOf: [{ $ref: getSchemaPath(AuditActor) }], description: 'The author of the change.' })
  actor: AuditActor;

  @Output({
    type: 'string',
    description:
      'The action, such as `create`, `update`, `delete`, `restore`, `clone`, `status` or `publish`.',
  })
  action: string;

  @Output({
    type: 'string',
    description:
      'Type of the changed record, such as `experiment`, `variation`, `goal`, `project` or `project_settings`.',
  })
  item_type: string;

  @Output({
    type: 'integer',
    description: 'Id of the changed record; for `project_settings`, the id of the project.',
  })
  item_id: number;

  @Output({
    ...OPTIONAL_TEXT,
    description: 'Name of the record after the change, or before its deletion. Null if unknown.',
  })
  item_name: string | null;

  @Output({
    ...CHANGED_FIELDS,
    description:
      'Values of the changed fields before the change. Null for a new record and for actions without fields. Preview links are omitted.',
  })
  before: Record<string, unknown> | null;

  @Output({
    ...CHANGED_FIELDS,
    description: 'Values of the changed fields after the change. Null for a deleted record.',
  })
  after: Record<string, unknown> | null;

  @Output({
    ...OPTIONAL_TEXT,
    description:
      'The `X-Request-Id` of the request that made the change. Null for changes made without a request and for entries from before release 0.2.',
  })
  request_id: string | null;

  static readonly example: AuditEntryRecord = {
    id: 1207,
    created_at: '2026-05-01T09:30:00.123000Z',
    actor: { type: 'token', user_id: 3, user_name: 'Ada Admin', token_id: 12, token_name: 'Deployment' },
    action: 'update',
    item_type: 'experiment',
    item_id: 1001,
    item_name: 'Green buy button',
    before: { traffic_allocation: 50 },
    after: { traffic_allocation: 100 },
    request_id: '9f3c2a1e-5b7d-4c8a-9e0f-1a2b3c4d5e6f',
  };
}
