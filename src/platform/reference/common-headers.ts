import type { OpenAPIObject } from '@nestjs/swagger';
import { type HeaderName, headersNamed } from '../../common/openapi/responses';

/** Sent with all responses to a caller that has a rate limit. See `rate-limit.guard.ts`. */
const RATE_LIMIT: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
/** Sent with all responses, including errors, to requests with a certain parameter, by its name. */
const BY_PARAMETER: Readonly<Record<string, readonly HeaderName[]>> = {
  dry_run: ['X-Dry-Run'],
  'Idempotency-Key': ['Idempotency-Replayed'],
};

const reference = (name: HeaderName) => ({ $ref: `#/components/headers/${name}` });

/**
 * Describes the headers that depend on the caller or on a parameter, but not on the operation or the status. Responses
 * refer to shared descriptions, because a copy in each response would enlarge the document considerably.
 */
export function describeCommonHeaders(document: OpenAPIObject): void {
  const shared = headersNamed([...RATE_LIMIT, ...Object.values(BY_PARAMETER).flat()]);
  document.components = {
    ...document.components,
    headers: Object.fromEntries(
      Object.entries(shared).map(([name, header]) => [name, { ...header, required: false }]),
    ),
  };
  for (const { get, post, put, patch, delete: remove } of Object.values(document.paths)) {
    for (const operation of [get, post, put, patch, remove]) {
      const names = [
        ...(operation?.security?.some((scheme) => 'bearer' in scheme) ? RATE_LIMIT : []),
        ...(operation?.parameters ?? []).flatMap((each) =>
          'name' in each ? (BY_PARAMETER[each.name] ?? []) : [],
        ),
      ];
      for (const response of Object.values(operation?.responses ?? {})) {
        if (names.length > 0 && response !== undefined && !('$ref' in response)) {
          const common = Object.fromEntries(names.map((name) => [name, reference(name)]));
          response.headers = { ...common, ...response.headers };
        }
      }
    }
  }
}
