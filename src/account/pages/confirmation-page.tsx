import type { FormFields } from '../../common/http/json-body';
import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { CONFIRMATION_FIELD } from '../password-confirmation';
import { Notice, TextField, waitWords } from './fields';
import { Content, CsrfField, Frame, FramedPage } from './frame';
import { KeptFields } from './kept-fields';

export interface ConfirmationPage {
  /** The path to which the form is submitted again. */
  path: string;
  /** The submitted fields. */
  fields: FormFields;
  error?: string | undefined;
  /** Seconds until the next attempt. */
  retryAfter?: number | undefined;
}

/** The page that asks for the password again, and then submits the same form. */
export function renderConfirmationPage(frame: Frame, page: ConfirmationPage): string {
  const { path, error, retryAfter } = page;
  const prefix = error === undefined && retryAfter === undefined ? undefined : 'Error: ';
  const title = frame.signIn.hasPasswords ? 'Confirm your password' : 'Confirm that it is you';
  return renderPage(
    <FramedPage frame={frame} title={title} section="settings" prefix={prefix}>
      <Content class="card sign-in">
        <h1>{title}</h1>
        {retryAfter !== undefined && <Notice tone="worse">{waitWords(retryAfter)}</Notice>}
        <p>You signed in more than 15 minutes ago.</p>
        {frame.signIn.provider !== null && (
          <ConfirmWithProvider frame={frame} path={path} provider={frame.signIn.provider} />
        )}
        {frame.signIn.hasPasswords && <PasswordForm frame={frame} page={page} />}
      </Content>
    </FramedPage>,
  );
}

/** Links to the provider, which returns to an empty form. */
function ConfirmWithProvider({ frame, path, provider }: { frame: Frame; path: string; provider: string }) {
  return (
    <>
      <p>
        Sign in again with <Name>{provider}</Name>, then fill in the form again.
      </p>
      <p class="actions">
        <a
          class="button"
          href={`${frame.base}/login/oidc?confirm=yes&next=${encodeURIComponent(`${path}?notice=confirmed`)}`}
        >
          Sign in again
        </a>
      </p>
    </>
  );
}

function PasswordForm({ frame, page: { path, fields, error } }: { frame: Frame; page: ConfirmationPage }) {
  return (
    <form class="form" method="post" action={`${frame.base}${path}`} novalidate>
      <p>Enter your password to continue.</p>
      <CsrfField frame={frame} />
      <KeptFields fields={fields} />
      {/* Password managers look for it. */}
      <input type="text" value={frame.email ?? ''} autocomplete="username" readonly hidden />
      <TextField
        name={CONFIRMATION_FIELD}
        label="Password"
        type="password"
        autocomplete="current-password"
        error={error}
        isFirst
      />
      <p class="actions">
        <button class="button" type="submit">
          Continue
        </button>
        <a class="link-button" href={`${frame.base}${path}`}>
          Cancel
        </a>
      </p>
    </form>
  );
}
