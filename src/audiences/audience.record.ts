import { formatMicros } from '../common/time/clock';
import { Output } from '../common/validation/fields';
import { Description, Id, Name, Timestamp } from '../common/validation/record-fields';
import type { Audience } from './audience.entity';
import type { ConditionTree } from './condition-tree';

const LEAF = {
  type: 'object',
  properties: { type: { type: 'string' }, name: { type: 'string' }, match: { type: 'string' }, value: {} },
  required: ['type'],
};

/** What a condition tree looks like; nodes below the root are like the root. */
export const CONDITIONS_SCHEMA = {
  oneOf: [{ type: 'array', minItems: 2, items: {} }, LEAF, { type: 'null' }],
  description:
    'Tree of `["and" | "or" | "not", ...]` over leaves `{type, name?, match?, value?}`; null = everyone.',
};

export class AudienceRecord {
  @Id()
  id: number;

  @Id()
  project_id: number;

  @Name()
  name: string;

  @Description()
  description: string | null;

  @Output(CONDITIONS_SCHEMA)
  conditions: ConditionTree | null;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  static readonly example: AudienceRecord = {
    id: 7,
    project_id: 1,
    name: 'Mobile visitors',
    description: null,
    conditions: ['and', { type: 'device', match: 'in', value: ['mobile', 'tablet'] }],
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

export function toAudienceRecord(row: Audience): AudienceRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    description: row.description,
    conditions: row.conditions,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}
