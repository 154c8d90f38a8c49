import type { Type } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type ErrorCode } from '../errors/codes';
import { codesOf } from '../errors/api-errors';

const DESCRIPTION =
  'An error. Every error response has a human-readable message and a machine-readable code.';

abstract class ErrorBody {
  @ApiProperty({ type: 'string', description: 'The error message for humans.' })
  message: string;
}

/** The `code` field of an error body: one of the codes that its status can have. */
const Code = (status: number): PropertyDecorator =>
  ApiProperty({
    type: 'string',
    enum: codesOf(status),
    description: 'Machine-readable error code. Codes are stable; new ones may be added.',
  });

/** The body of a 403 response. */
@ApiSchema({
  description:
    "The token lacks the required ability, the user's role does not allow the action, or the origin is not allowed. `role` is set only if the role is the reason.",
})
export class ForbiddenBody extends ErrorBody {
  @Code(403)
  code: ErrorCode;

  @ApiProperty({ type: 'string', required: false, description: "The user's role in the team." })
  role?: string;

  @ApiProperty({ type: 'string', required: false, description: 'The permission that the role lacks.' })
  permission?: string;

  static readonly example: ForbiddenBody = {
    message: 'This action is unauthorized.',
    code: 'ROLE_INSUFFICIENT',
    role: 'viewer',
    permission: 'definitions:write',
  };
}

/** The body of a 413 response. */
@ApiSchema({ description: 'The request is too large.' })
class TooLargeBody extends ErrorBody {
  @Code(413)
  code: ErrorCode;

  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'The maximum number of events per request. Set only if the request had too many.',
  })
  max_events?: number;
}

/** All validation errors in a request, by field. */
@ApiSchema({ description: 'All validation errors of the request, by field.' })
export class ValidationErrorBody extends ErrorBody {
  @Code(422)
  code: ErrorCode;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'The errors for each invalid value, by its dotted path.',
  })
  errors: Record<string, string[]>;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    required: false,
    description: 'The statuses that the experiment can change to.',
  })
  allowed_statuses?: string[];

  static readonly example: ValidationErrorBody = {
    message: 'The name field is required. (and 1 more error)',
    code: 'VALIDATION_FAILED',
    errors: {
      name: ['The name field is required.'],
      'variations.0.traffic_allocation': ['The traffic allocation must be between 0 and 100.'],
    },
  };
}

/** The body of errors that have only a message and a code. */
function plainBody(status: number, name: string): Type<object> {
  @ApiSchema({ name, description: DESCRIPTION })
  class Body extends ErrorBody {
    @Code(status)
    code: ErrorCode;
  }
  Object.defineProperty(Body, 'name', { value: name });
  return Body;
}

const BODIES: Readonly<Record<number, Type<object>>> = {
  400: plainBody(400, 'BadRequestBody'),
  401: plainBody(401, 'UnauthenticatedBody'),
  403: ForbiddenBody,
  404: plainBody(404, 'NotFoundBody'),
  409: plainBody(409, 'ConflictBody'),
  412: plainBody(412, 'PreconditionFailedBody'),
  413: TooLargeBody,
  415: plainBody(415, 'UnsupportedMediaTypeBody'),
  422: ValidationErrorBody,
  429: plainBody(429, 'TooManyRequestsBody'),
  500: plainBody(500, 'ServerErrorBody'),
  503: plainBody(503, 'UnavailableBody'),
};

/** All error bodies in the reference, each with the codes of its status. */
export const ERROR_BODIES = Object.values(BODIES);

/** The body of errors with this status. @throws Error if the reference has no body for it */
export function errorBodyOf(status: number): Type<object> {
  const body = BODIES[status];
  if (body === undefined) {
    throw new Error(`The reference describes no errors with status ${status}.`);
  }
  return body;
}
