import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The body of every error response. */
@ApiSchema({ description: 'An error. Every error response has at least a message.' })
export class ErrorBody {
  @ApiProperty({ type: 'string', description: 'The error, for people.' })
  message: string;

  static readonly example: ErrorBody = { message: 'Not Found' };
}

/** The body of a 413 response. */
@ApiSchema({ description: 'The request is too large.' })
export class TooLargeBody extends ErrorBody {
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'The maximum number of events per request, if the request had too many.',
  })
  max_events?: number;

  static override readonly example: TooLargeBody = { message: 'Payload Too Large' };
}

/** The body of a 403 response: the token's ability or the user's role is not sufficient. */
@ApiSchema({
  description:
    'The ability of the token or the role of the user is not sufficient. `role` is set in the second case.',
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

/** All validation errors of a request, by field. */
@ApiSchema({ description: 'All validation errors of the request, by field.' })
export class ValidationErrorBody extends ErrorBody {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'The errors of each invalid value, by its dotted path.',
  })
  errors: Record<string, string[]>;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    required: false,
    description: 'The statuses to which the experiment can change.',
  })
  allowed_statuses?: string[];

  @ApiProperty({
    type: 'string',
    enum: ['PLAN_FIXED'],
    required: false,
    description: '`PLAN_FIXED`: the plan of an experiment cannot change after its first start.',
  })
  code?: 'PLAN_FIXED';

  static override readonly example: ValidationErrorBody = {
    message: 'The name field is required. (and 1 more error)',
    errors: {
      name: ['The name field is required.'],
      'variations.0.traffic_allocation': ['The traffic allocation must be between 0 and 100.'],
    },
  };
}
