import { formatMicros } from '../common/time/clock';
import { Output } from '../common/validation/fields';
import { ApiName, Id, Name, Timestamp } from '../common/validation/record-fields';
import type { Environment } from './environment.entity';

export class EnvironmentRecord {
  @Id()
  id: number;

  @Id()
  project_id: number;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Output({ type: 'boolean', description: 'New experiments get the default environment.' })
  is_default: boolean;

  @Output({ type: 'string', description: 'Function body that returns true where the environment applies.' })
  code: string;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  static readonly example: EnvironmentRecord = {
    id: 1,
    project_id: 1,
    name: 'Production',
    api_name: 'production',
    is_default: true,
    code: 'return true;',
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

export function toEnvironmentRecord(row: Environment): EnvironmentRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    api_name: row.api_name,
    is_default: row.is_default,
    code: row.code,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}
