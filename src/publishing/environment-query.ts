import { ValidationError } from '../common/errors/api-errors';
import type { Published } from './published';

/**
 * The `api_name` of the environment that `?environment=` asks for; the default one when it asks for none.
 * @throws ValidationError that names the environments there are
 */
export function environmentOf(query: unknown, { environments }: Published): string {
  const { environment = environments[0] } = query as Record<string, unknown>;
  if (typeof environment !== 'string' || !environments.includes(environment)) {
    const message = `The environment must be one of: ${environments.join(', ')}.`;
    throw new ValidationError([{ path: 'environment', message }]);
  }
  return environment;
}
