import { renderPage } from '../../presentation/layout';
import type { FieldErrors } from '../field-errors';
import { Notice, TextField, waitWords } from './fields';
import { FormToken, Frame, FramedPage } from './frame';

export interface SignInPage {
  /** As it was typed before. */
  email: string;
  /** Where to go on then, if anywhere in particular. */
  next: string | null;
  isSignedOut?: boolean;
  /** Was the last attempt refused? It is not said why. */
  isRefused?: boolean;
  /** Seconds until the next attempt. */
  retryAfter?: number;
  errors?: FieldErrors<{ email: string; password: string }>;
}

/** The page that people sign in on. */
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
          <FormToken frame={frame} />
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
        <p class="small muted">
          There are accounts for people whom an administrator of this server has added, who also helps when a
          password is forgotten.
        </p>
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
