import type { Frame } from '../../account/pages/frame';
import { CopiedText } from '../../presentation/components/copied-text';
import { ApiCall, curlCommand, TOKEN_VARIABLE } from '../curl';

interface Props {
  /** Unique on the page. */
  id: string;
  frame: Frame;
  call: ApiCall;
}

/** The command for an API call, folded, with the permission that its token needs. */
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
