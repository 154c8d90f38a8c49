import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '../../common/time/clock';
import { CodeField, FlagField } from '../../common/validation/body-fields';
import { checkCondition } from '../../common/validation/condition-code';
import { Output } from '../../common/validation/fields';
import {
  CreatedAt,
  NameField,
  UpdatedAt,
  NamedRecord,
  NamingFields,
} from '../../common/validation/record-fields';
import type { Environment } from './environment.entity';

/* Descriptions shared by requests and responses. */
const IS_DEFAULT = 'New experiments get the default environment.';
const ENVIRONMENT_CODE =
  'JavaScript expression, function body or function that returns true on pages to which the environment applies. Blank code applies to all pages.';

@ApiSchema({ description: 'An installation of a site, such as production or staging.' })
export class EnvironmentRecord extends NamedRecord {
  @Output({ type: 'boolean', description: IS_DEFAULT })
  is_default: boolean;

  @Output({ type: 'string', description: ENVIRONMENT_CODE })
  code: string;

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
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

@ApiSchema({ description: 'Environment fields that can be changed. Absent fields stay unchanged.' })
export class UpdateEnvironment extends NamingFields {
  @FlagField({ description: `${IS_DEFAULT} True replaces the current default environment.` })
  is_default?: boolean;

  @CodeField(checkCondition, { description: ENVIRONMENT_CODE })
  code?: string;

  static readonly example: object = { code: "return location.hostname === 'test.example.com';" };
}

@ApiSchema({ description: 'A new environment. Only the name is required.' })
export class CreateEnvironment extends UpdateEnvironment {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = {
    name: 'Test',
    code: "return location.hostname === 'test.example.com';",
  };
}
