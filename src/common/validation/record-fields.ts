import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { API_NAME, MAX_NAME } from '../text/names';
import { MatchingField, TextField } from './body-fields';
import { ConstrainedField, FieldOptions, Output, Trimmed } from './fields';
import { NAME_RULES } from './rules';

/* Fields that several kinds of records have in common, in requests (`...Field`) and in responses. */

export const MAX_DESCRIPTION = 10_000;

const NAME = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_NAME,
  description:
    'Display name: 1 to 255 characters, at least one of them visible, without leading or trailing whitespace. It does not need to be unique.',
} as const satisfies ApiPropertyOptions;
const API_NAME_SCHEMA = {
  type: 'string',
  pattern: API_NAME.source,
  description:
    'Name for use in code: 1 to 64 lower-case letters, digits, `_` or `-`. Unique among records of its kind in the project (variations: in the experiment). Derived from the name by default.',
} as const satisfies ApiPropertyOptions;

const DESCRIPTION = {
  type: 'string',
  description: 'Free text, up to 10,000 characters.',
} as const satisfies ApiPropertyOptions;

export const NameField = (options: FieldOptions = {}): PropertyDecorator =>
  applyDecorators(Trimmed(), ConstrainedField(NAME_RULES, NAME, options));

const ApiNameField = (): PropertyDecorator =>
  applyDecorators(
    Trimmed(),
    MatchingField(API_NAME, '1 to 64 lower-case letters, digits, _ or -, and begin with a letter or digit', {
      description: API_NAME_SCHEMA.description,
    }),
  );

export const DescriptionField = (): PropertyDecorator =>
  TextField(MAX_DESCRIPTION, { description: DESCRIPTION.description, nullable: true });

export const Id = (description = 'Assigned on creation; never changes.'): PropertyDecorator =>
  Output({ type: 'integer', minimum: 1, description });

export const Name = (): PropertyDecorator => Output({ ...NAME });

export const ApiName = (): PropertyDecorator => Output({ ...API_NAME_SCHEMA });

export const Description = (): PropertyDecorator => Output({ ...DESCRIPTION, nullable: true });

/** A time, in UTC with microseconds. */
export const Timestamp = (options: { nullable?: boolean; description: string }): PropertyDecorator =>
  Output({ type: 'string', format: 'date-time', ...options });

export const CreatedAt = (): PropertyDecorator =>
  Timestamp({ description: 'When the record was created: ISO 8601, UTC, with microseconds.' });

export const UpdatedAt = (): PropertyDecorator =>
  Timestamp({ description: 'When the record was last changed: ISO 8601, UTC, with microseconds.' });

/** The fields of a request that name a record. Classes for creation declare `name` again as a required field. */
export abstract class NamingFields {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;
}

/** Like `NamingFields`, for records with a description. */
export abstract class DescribingFields extends NamingFields {
  @DescriptionField()
  description?: string | null;
}

/** The first fields of all records in a project. */
export abstract class NamedRecord {
  @Id()
  id: number;

  @Id('Id of the project.')
  project_id: number;

  @Name()
  name: string;

  @ApiName()
  api_name: string;
}

/** Like `NamedRecord`, for records with a description. */
export abstract class DescribedRecord extends NamedRecord {
  @Description()
  description: string | null;
}
