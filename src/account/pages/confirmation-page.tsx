import type { FormFields } from '../../common/http/json-body';
import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import type { PageReferrer } from '../../presentation/page-answer';
import { CONFIRMATION_FIELD } from '../password-confirmation';
import { Notice, TextField, waitWords } from './fields';
import { Content, CsrfField, Frame, FramedPage } from './frame';
import { KeptFields } from './kept-form-page';
import { ProviderLink, providerPath } from './sign-in-page';

const PROVIDER = providerPath('/settings/api-tokens?notice=confirmed', true);

export interface ConfirmationPage {
  /** The path to which the form is submitted again. */
  path: string;
  /** The submitted fields. */
  fields: FormFields;
  /** Whether the user has a password and may use it. */
  hasPassword: boolean;
  error?: string | undefined;
  /** Seconds until the next attempt. */
  retryAfter?: number | undefined;
}

/** The page where users confirm their identity and then submit the same form. */
export function renderConfirmationPage(frame: Frame, page: ConfirmationPage): string {
  const { error, retryAfter, hasPassword } = page;
  const prefix = error === undefined && retryAfter === undefined ? undefined : 'Error: ';
  const title = hasPassword ? 'Confirm your password' : 'Confirm your identity';
  return renderPage(
    <FramedPage frame={frame} title={title} section="settings" prefix={prefix}>
      <Content class="card sign-in">
        <h1>{title}</h1>
        {retryAfter !== undefined && <Notice tone="worse">{waitWords(retryAfter)}</Notice>}
        {!hasPassword && error !== undefined && <Notice tone="worse">{error}</Notice>}
        <p>You signed in more than 15 minutes ago.</p>
        {frame.signIn.provider !== null && (
          <ConfirmWithProvider frame={frame} provider={frame.signIn.provider} />
        )}
        <SameForm frame={frame} page={page} />
      </Content>
    </FramedPage>,
  );
}

export interface FailedSignInPage {
  /** The page after the sign-in; null for the home page. */
  next: string | null;
  /** Why the sign-in failed. */
  problem: string;
}

/**
 * The page for a signed-in user whose confirmation at the provider failed, or who has signed in in another tab in the
 * meantime.
 */
export function renderFailedSignInPage(
  frame: Frame,
  { next, problem }: FailedSignInPage,
  referrer: PageReferrer,
): string {
  const title = 'Sign-in failed';
  return renderPage(
    <FramedPage frame={frame} title={title} section="settings" prefix="Error: " referrer={referrer}>
      <Content class="card sign-in">
        <h1>{title}</h1>
        <Notice tone="worse">{problem}</Notice>
        <p>
          You are still signed in as <Name>{frame.email ?? ''}</Name>.
        </p>
        <ProviderLink frame={frame} next={next} provider={frame.signIn.provider ?? ''} isConfirmation />
      </Content>
    </FramedPage>,
  );
}

/** Opens the provider in a new tab, so this tab keeps the input. */
function ConfirmWithProvider({ frame, provider }: { frame: Frame; provider: string }) {
  return (
    <p>
      <a href={`${frame.base}${PROVIDER}`} target="_blank" rel="noopener">
        Sign in again with <Name>{provider}</Name> in a new tab
      </a>
      , then come back to this tab and continue.
    </p>
  );
}

/** Submits the same form again. After a confirmation with the provider, it needs no password. */
function SameForm({
  frame,
  page: { path, fields, hasPassword, error },
}: {
  frame: Frame;
  page: ConfirmationPage;
}) {
  const { provider } = frame.signIn;
  return (
    <form class="form" method="post" action={`${frame.base}${path}`} novalidate>
      {hasPassword && <p>{provider === null ? 'Enter' : 'Or enter'} your password to continue.</p>}
      <CsrfField frame={frame} />
      <KeptFields fields={fields} />
      {hasPassword ? (
        <PasswordFields email={frame.email ?? ''} error={error} />
      ) : (
        <input type="hidden" name={CONFIRMATION_FIELD} value="provider" />
      )}
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

function PasswordFields({ email, error }: { email: string; error: string | undefined }) {
  return (
    <>
      {/* Password managers look for this field. */}
      <input type="text" value={email} autocomplete="username" readonly hidden />
      <TextField
        name={CONFIRMATION_FIELD}
        label="Password"
        type="password"
        autocomplete="current-password"
        error={error}
        isFirst
      />
    </>
  );
}
