import { Role, roleAllows } from '../access/roles';
import { UnauthorizedRoleError } from '../common/errors/api-errors';
import type { ExperimentStatus } from './experiment-status';

/** The fields that decide when the server pauses the experiment. They apply without publishing. */
const GUARDRAIL_FIELDS: readonly string[] = ['guardrails', 'guardrail_action'];

/**
 * A guardrail that is already worse pauses a running experiment at once, so changing the guardrails needs the permission
 * to pause it.
 * @param changed the fields that would change
 * @throws UnauthorizedRoleError
 */
export function requireGuardrailPermission(
  role: Role,
  status: ExperimentStatus,
  changed: readonly string[],
): void {
  const isGuarding = status === 'running' && changed.some((field) => GUARDRAIL_FIELDS.includes(field));
  if (isGuarding && !roleAllows(role, 'experiments:run')) {
    throw new UnauthorizedRoleError(role, 'experiments:run');
  }
}
