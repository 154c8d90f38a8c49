import { whoMay } from '../../account/pages/error-page';
import type { Frame } from '../../account/pages/frame';
import { roleAllows, type Permission, type Role } from '../../platform/access/roles';
import { CopiedText } from '../../presentation/components/copied-text';
import { ApiCall, curlCommand, TOKEN_VARIABLE } from '../curl';

interface Props {
  /** Unique on the page. */
  id: string;
  frame: Frame;
  call: ApiCall;
}

/** The command for an API call, collapsed, with the permission that its token needs. */
export function ShowAsCurl({ id, frame, call }: Props) {
  return (
    <details class="as-curl screen-only">
      <summary class="small">Show as curl</summary>
      <div class="stack">
        <p class="small muted">
          Set <code>{TOKEN_VARIABLE}</code> to a {call.method === 'GET' ? 'read' : <>read &amp; write</>}{' '}
          token first. Create one under <a href={`${frame.base}/settings/api-tokens`}>API tokens</a>.
        </p>
        <CopiedText id={id} label="API command">
          {curlCommand(frame.publicUrl, call)}
        </CopiedText>
      </div>
    </details>
  );
}

interface CallProps {
  /** Unique on the page. */
  id: string;
  /** The public URL of the API. */
  publicUrl: string;
  /** The role of the user. */
  role: Role;
  permission: Permission;
  call: ApiCall;
}

/** The command for a step, for users with the permission; other users see who has it. */
export function Call({ id, publicUrl, role, permission, call }: CallProps) {
  return roleAllows(role, permission) ? (
    <CopiedText id={id} label="API command">
      {curlCommand(publicUrl, call)}
    </CopiedText>
  ) : (
    <p class="who-may">{whoMay(role, permission)}</p>
  );
}

/** Explains how to set the token for the commands. */
export function TokenHint({ frame }: { frame: Frame }) {
  return (
    <div class="stack">
      <p class="small muted">
        Set <code>{TOKEN_VARIABLE}</code> to a read &amp; write token first. Create one under{' '}
        <a href={`${frame.base}/settings/api-tokens`}>API tokens</a>:
      </p>
      <CopiedText id="token-variable" label="Set the token">
        {`export ${TOKEN_VARIABLE}=gos_...`}
      </CopiedText>
    </div>
  );
}
