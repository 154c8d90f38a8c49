import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The body of every refusal. */
@ApiSchema({ description: 'Every refusal has at least a message.' })
export class ErrorBody {
  @ApiProperty({ type: 'string', description: 'What is wrong, for people.' })
  message: string;

  static readonly example: ErrorBody = { message: 'Not Found' };
}

/** Refused because of the token's abilities, or of the role, which is then named. */
@ApiSchema({
  description: 'Refused because of the abilities of the token, or of the role, which is then named.',
})
export class ForbiddenBody extends ErrorBody {
  @ApiProperty({ type: 'string', required: false, description: 'The role of the user in the team.' })
  role?: string;

  @ApiProperty({ type: 'string', required: false, description: 'The permission that the role lacks.' })
  permission?: string;

  static override readonly example: ForbiddenBody = {
    message: 'This action is unauthorized.',
    role: 'viewer',
    permission: 'definitions:write',
  };
}

/** Everything that is wrong with the request, by field. */
@ApiSchema({ description: 'Everything that is wrong with the request, by field.' })
export class ValidationErrorBody extends ErrorBody {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'Dotted path of each wrong value, with what is wrong with it.',
  })
  errors: Record<string, string[]>;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    required: false,
    description: 'The statuses that an experiment could be given instead.',
  })
  allowed_statuses?: string[];

  static override readonly example: ValidationErrorBody = {
    message: 'The name field is required. (and 1 more error)',
    errors: {
      name: ['The name field is required.'],
      'variations.0.traffic_allocation': ['The traffic allocation must be between 0 and 100.'],
    },
  };
}
