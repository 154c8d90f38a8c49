import { getSchemaPath } from '@nestjs/swagger';
import { Output } from '../common/validation/fields';

/* Decorators for figures in the reference. */

export const COUNT = { type: 'integer', minimum: 0 } as const;
export const NUMBER = { type: 'number' } as const;
export const SHARE = { type: 'number', minimum: 0, maximum: 1 } as const;
export const INTERVAL = { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 } as const;

export const Count = (description: string): PropertyDecorator => Output({ ...COUNT, description });

export const OptionalNumber = (description: string): PropertyDecorator =>
  Output({ ...NUMBER, nullable: true, description });

export const OptionalShare = (description: string): PropertyDecorator =>
  Output({ ...SHARE, nullable: true, description });

export const OptionalInterval = (description: string): PropertyDecorator =>
  Output({ ...INTERVAL, nullable: true, description });

export const OptionalChoice = (values: readonly string[], description: string): PropertyDecorator =>
  Output({ oneOf: [{ type: 'string', enum: [...values] }, { type: 'null' }], description });

export const OptionalPart = (type: new () => object, description: string): PropertyDecorator =>
  Output({ oneOf: [{ $ref: getSchemaPath(type) }, { type: 'null' }], description });

export const Part = (type: new () => object, description: string): PropertyDecorator =>
  Output({ allOf: [{ $ref: getSchemaPath(type) }], description });
