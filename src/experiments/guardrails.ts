import { Role, roleAllows } from '../platform/access/roles';
import { UnauthorizedRoleError } from '../common/errors/api-errors';
import type { ExperimentStatus } from './experiment-status';

/** The fields that decide when the server pauses the experiment. Changes to these fields apply without publishing. */
const GUARDRAIL_FIELDS: readonly string[] = ['guardrails', 'guardrail_action'];

/** The goal fields that affect how variations are compared on the goal. */
const COMPARING_FIELDS: readonly string[] = ['direction', 'counting', 'conversion_window_days', 'value_cap'];

/**
 * Whether changing these fields of a guardrail's goal can trip the guardrail. Like changes to guardrails themselves,
 * these changes apply without publishing.
 */
export const mayTripGuardrail = (changed: readonly string[]): boolean =>
  changed.some((field) => COMPARING_FIELDS.includes(field));

/** @throws UnauthorizedRoleError if the role does not permit pausing experiments */
export function requirePermissionToPause(role: Role): void {
  if (!roleAllows(role, 'experiments:run')) {
    throw new UnauthorizedRoleError(role, 'experiments:run');
  }
}

/**
 * A new guardrail can pause a running experiment immediately, if a variation already performs worse on it. Changing the
 * guardrails therefore requires permission to pause the experiment.
 * @param changed the fields that would change
 * @throws UnauthorizedRoleError
 */
export function requireGuardrailPermission(
  role: Role,
  status: ExperimentStatus,
  changed: readonly string[],
): void {
  const isGuarding = status === 'running' && changed.some((field) => GUARDRAIL_FIELDS.includes(field));
  if (isGuarding) {
    requirePermissionToPause(role);
  }
}
