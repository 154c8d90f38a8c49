import { ValidationError } from '../common/errors/api-errors';
import type { Published } from './published';

/**
 * The `api_name` of the environment in `?environment=`; by default the default environment.
 * @throws ValidationError that lists the existing environments
 */
export function environmentOf(query: unknown, { environments }: Published): string {
  const { environment = environments[0] } = query as Record<string, unknown>;
  if (typeof environment !== 'string' || !environments.includes(environment)) {
    const message = `The environment must be one of: ${environments.join(', ')}.`;
    throw new ValidationError([{ path: 'environment', message }]);
  }
  return environment;
}
