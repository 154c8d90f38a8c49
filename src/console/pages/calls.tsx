import type { Permission, Role } from '../../access/roles';
import { roleAllows, rolesWith } from '../../access/roles';
import type { Frame } from '../../account/pages/frame';
import { CopiedText } from '../../presentation/components/copied-text';
import { listed } from '../../presentation/text/words';
import { ApiCall, curlCommand, TOKEN_VARIABLE } from '../curl';

interface CallProps {
  /** Unique on the page. */
  id: string;
  /** How the API is reached from outside. */
  publicUrl: string;
  /** Of who looks at the page. */
  role: Role;
  permission: Permission;
  call: ApiCall;
}

/** The command that does something, for who may do it; others learn who may. */
export function Call({ id, publicUrl, role, permission, call }: CallProps) {
  return roleAllows(role, permission) ? (
    <CopiedText id={id} label="Command for the API">
      {curlCommand(publicUrl, call)}
    </CopiedText>
  ) : (
    <p class="who-may">{whoMay(role, permission)}</p>
  );
}

/** `Your role in the team is viewer. This is for its publishers and admins.` */
export const whoMay = (role: Role, permission: Permission): string =>
  `Your role in the team is ${role}. This is for its ${listed(rolesWith(permission).map((each) => `${each}s`))}.`;

/** What the commands need. */
export function TokenHint({ frame }: { frame: Frame }) {
  return (
    <div class="stack">
      <p class="small muted">
        The commands take an API token with read &amp; write permission from a variable of the shell. Make one
        under <a href={`${frame.base}/settings/api-tokens`}>API tokens</a>, and put it in the place of{' '}
        <code>gos_...</code> here:
      </p>
      <CopiedText id="token-variable" label="Before the first command">
        {`export ${TOKEN_VARIABLE}=gos_...`}
      </CopiedText>
    </div>
  );
}
