import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiQuery, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { IF_NONE_MATCH, NOT_MODIFIED } from './operation';
import { headersNamed } from './responses';

interface PagesText {
  /** Plural of the listed records, such as `Deliveries`. */
  plural: string;
  max: number;
  default: number;
}

/** The parameters of a list that always has pages. */
export const PageQueries = ({ plural, max, default: size }: PagesText) =>
  applyDecorators(
    ApiQuery({
      name: 'page',
      required: false,
      description: 'Page to return, from 1.',
      schema: { type: 'integer', minimum: 1, default: 1 },
    }),
    ApiQuery({
      name: 'per_page',
      required: false,
      description: `${plural} per page, up to ${max}.`,
      schema: { type: 'integer', minimum: 1, maximum: max, default: size },
    }),
  );

/** The response of a list that always has pages, with its parameters. */
export const PagedList = (record: { new (): object; readonly example: object }, pages: PagesText) =>
  applyDecorators(
    ApiExtraModels(record),
    ApiResponse({
      status: 200,
      description: 'One page.',
      headers: headersNamed(['ETag', 'X-Total-Count', 'Link']),
      content: {
        'application/json': {
          schema: { type: 'array', items: { $ref: getSchemaPath(record) } },
          example: [record.example],
        },
      },
    }),
    PageQueries(pages),
    IF_NONE_MATCH,
    NOT_MODIFIED,
  );
