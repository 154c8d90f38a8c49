import { applyDecorators, Controller, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PageErrorFilter } from './page-error.filter';

/**
 * A controller of pages and their forms. Errors are rendered as pages, and its routes are not in the API reference.
 * Access is declared separately, with `@SignedIn` or `@Public`.
 */
export const PageController = (path = '/'): ClassDecorator =>
  applyDecorators(ApiExcludeController(), UseFilters(PageErrorFilter), Controller(path));
