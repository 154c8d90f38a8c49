import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { API_NAME } from '../text/names';
import { matching, text } from './checks';
import { Field, FieldOptions, Output, Trimmed } from './fields';

/* Fields that several kinds of records have: in requests (`...Field`) and in answers. */

export const MAX_NAME = 255;
export const MAX_DESCRIPTION = 10_000;

const NAME = { type: 'string', minLength: 1, maxLength: MAX_NAME } as const satisfies ApiPropertyOptions;
const API_NAME_SCHEMA = {
  type: 'string',
  pattern: API_NAME.source,
  description: 'Short name for programs, unique among its kind.',
} as const satisfies ApiPropertyOptions;

export const NameField = (options: FieldOptions = {}): PropertyDecorator =>
  applyDecorators(Trimmed(), Field(text(MAX_NAME, 1), NAME, options));

export const ApiNameField = (): PropertyDecorator =>
  applyDecorators(
    Trimmed(),
    Field(
      matching(API_NAME, 'of 1-64 lower-case letters, digits, _ or -, and begin with a letter or digit'),
      {
        ...API_NAME_SCHEMA,
      },
    ),
  );

export const DescriptionField = (): PropertyDecorator =>
  Field(text(MAX_DESCRIPTION), { type: 'string', maxLength: MAX_DESCRIPTION }, { nullable: true });

export const Id = (description?: string): PropertyDecorator =>
  Output({ type: 'integer', minimum: 1, ...(description === undefined ? {} : { description }) });

export const Name = (): PropertyDecorator => Output({ ...NAME });

export const ApiName = (): PropertyDecorator => Output({ ...API_NAME_SCHEMA });

export const Description = (): PropertyDecorator => Output({ type: 'string', nullable: true });

export const Timestamp = (options: { nullable?: boolean; description?: string } = {}): PropertyDecorator =>
  Output({ type: 'string', format: 'date-time', ...options });
