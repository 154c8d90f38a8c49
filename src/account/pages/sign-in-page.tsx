import { renderPage } from '../../presentation/layout';
import type { FieldErrors } from '../field-errors';
import { Notice, TextField, waitWords } from './fields';
import { CsrfField, Frame, FramedPage } from './frame';

export interface SignInPage {
  /** The submitted value. */
  email: string;
  /** The page after sign-in; null for the first one. */
  next: string | null;
  isSignedOut?: boolean;
  /** Whether the last attempt failed. The page does not say why. */
  isRefused?: boolean;
  /** Seconds until the next attempt. */
  retryAfter?: number;
  errors?: FieldErrors<{ email: string; password: string }>;
}

/** The sign-in page. */
export function renderSignInPage(frame: Frame, page: SignInPage): string {
  const { email, next, isRefused = false, errors = {} } = page;
  const hasFailed = isRefused || page.retryAfter !== undefined || Object.keys(errors).length > 0;
  const wrong = isRefused ? 'The e-mail address or the password is wrong.' : undefined;
  const goesOnWithPassword = email !== '' && errors.email === undefined;
  return renderPage(
    <FramedPage frame={frame} title="Sign in" prefix={hasFailed ? 'Error: ' : undefined}>
      <main class="card sign-in">
        <h1>Sign in</h1>
        <Notices {...page} />
        <form class="form" method="post" action={`${frame.base}/login`} novalidate>
          <CsrfField frame={frame} />
          {next !== null && <input type="hidden" name="next" value={next} />}
          <TextField
            name="email"
            label="E-mail address"
            type="email"
            value={email}
            autocomplete="username"
            error={errors.email}
            isFirst={!goesOnWithPassword}
          />
          <TextField
            name="password"
            label="Password"
            type="password"
            autocomplete="current-password"
            error={errors.password ?? wrong}
            isFirst={goesOnWithPassword}
          />
          <p class="actions">
            <button class="button" type="submit">
              Sign in
            </button>
          </p>
        </form>
        <p class="small muted">A server administrator creates accounts and resets forgotten passwords.</p>
      </main>
    </FramedPage>,
  );
}

function Notices({ isSignedOut = false, retryAfter }: SignInPage) {
  return (
    <>
      {isSignedOut && <Notice tone="better">You are signed out.</Notice>}
      {retryAfter !== undefined && <Notice tone="worse">{waitWords(retryAfter)}</Notice>}
    </>
  );
}
