import { formatMicros } from '../common/time/clock';
import { Output } from '../common/validation/fields';
import { ApiName, Description, Id, Name, Timestamp } from '../common/validation/record-fields';
import { ACTIVATIONS, Page } from './page.entity';
import { PAGE_MATCHES, PageCondition } from './page-conditions';

const CONDITION = {
  type: 'object',
  properties: {
    match: { type: 'string', enum: [...PAGE_MATCHES] },
    value: { type: 'string' },
    negate: { type: 'boolean' },
  },
  required: ['match', 'value', 'negate'],
};

export class PageRecord {
  @Id()
  id: number;

  @Id()
  project_id: number;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Description()
  description: string | null;

  @Output({ type: 'array', items: CONDITION, description: 'Empty = every page matches.' })
  conditions: PageCondition[];

  @Output({ type: 'string', enum: ACTIVATIONS })
  activation: (typeof ACTIVATIONS)[number];

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  static readonly example: PageRecord = {
    id: 3,
    project_id: 1,
    name: 'Product pages',
    api_name: 'product-pages',
    description: null,
    conditions: [{ match: 'starts_with', value: '/products/', negate: false }],
    activation: 'immediate',
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

export function toPageRecord(row: Page): PageRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    api_name: row.api_name,
    description: row.description,
    conditions: row.conditions,
    activation: row.activation,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}
