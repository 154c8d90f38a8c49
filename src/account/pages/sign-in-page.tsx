import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import type { PageReferrer } from '../../presentation/page-answer';
import { SETUP_COMMANDS } from '../../users/setup-commands';
import { type FieldErrors, Notice, TextField, waitWords } from './fields';
import { Content, CsrfField, Frame, FramedPage } from './frame';

interface ProviderLinkProps {
  frame: Frame;
  /** The page after sign-in; null for the home page. */
  next: string | null;
  provider: string;
  /** Whether a signed-in user confirms their identity. */
  isConfirmation?: boolean;
}

/** The path that leads to the provider. @param next the page after sign-in; null for the home page */
export function providerPath(next: string | null, isConfirmation = false): string {
  const query = [
    ...(isConfirmation ? ['confirm=yes'] : []),
    ...(next === null ? [] : [`next=${encodeURIComponent(next)}`]),
  ].join('&');
  return query === '' ? '/login/oidc' : `/login/oidc?${query}`;
}

/**
 * A link to the provider. It is not a form, because the content security policy forbids forms that submit to other
 * sites.
 */
export function ProviderLink({ frame, next, provider, isConfirmation = false }: ProviderLinkProps) {
  return (
    <p class="actions">
      <a class="button" href={`${frame.base}${providerPath(next, isConfirmation)}`}>
        {isConfirmation ? 'Sign in again with' : 'Sign in with'} <Name>{provider}</Name>
      </a>
    </p>
  );
}

export interface SignInPage {
  /** The submitted e-mail address. */
  email: string;
  /** The page after sign-in; null for the home page. */
  next: string | null;
  isSignedOut?: boolean;
  /** Whether the server has no users yet. */
  isFirstRun?: boolean;
  /** Whether the last attempt failed. The page does not reveal the reason. */
  isRefused?: boolean;
  /** Seconds until the next attempt. */
  retryAfter?: number;
  /** Why a sign-in with the provider failed. */
  problem?: string;
  errors?: FieldErrors<{ email: string; password: string }>;
}

/** The sign-in page. */
export function renderSignInPage(frame: Frame, page: SignInPage, referrer: PageReferrer): string {
  const { isRefused = false, errors = {}, problem, retryAfter } = page;
  const { hasPasswords, provider } = frame.signIn;
  const hasFailed = isRefused || (problem ?? retryAfter) !== undefined || Object.keys(errors).length > 0;
  return renderPage(
    <FramedPage frame={frame} title="Sign in" prefix={hasFailed ? 'Error: ' : undefined} referrer={referrer}>
      <Content class="card sign-in">
        <h1>Sign in</h1>
        <Notices {...page} />
        {page.isFirstRun === true && <FirstRun />}
        {hasPasswords && <PasswordForm frame={frame} page={page} />}
        {hasPasswords && provider !== null && <p class="muted">or</p>}
        {provider !== null && <ProviderLink frame={frame} next={page.next} provider={provider} />}
        {hasPasswords && (
          <p class="small muted">
            A team admin or a server administrator creates accounts; a server administrator resets forgotten
            passwords.
          </p>
        )}
      </Content>
    </FramedPage>,
  );
}

function PasswordForm({ frame, page }: { frame: Frame; page: SignInPage }) {
  const { email, next, isRefused = false, errors = {} } = page;
  const wrong = isRefused ? 'The e-mail address or password is wrong.' : undefined;
  const goesOnWithPassword = email !== '' && errors.email === undefined;
  return (
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
  );
}

function Notices({ isSignedOut = false, retryAfter, problem }: SignInPage) {
  return (
    <>
      {isSignedOut && <Notice tone="better">You have been signed out.</Notice>}
      {problem !== undefined && <Notice tone="worse">{problem}</Notice>}
      {retryAfter !== undefined && <Notice tone="worse">{waitWords(retryAfter)}</Notice>}
    </>
  );
}

/** Explains how to create the first user on a server without users. */
function FirstRun() {
  return (
    <section class="step">
      <p>This server has no users yet. Create the first one on the server's machine:</p>
      <pre class="code" tabIndex={0}>
        <code>{SETUP_COMMANDS.npm}</code>
      </pre>
      <p>With Docker Compose:</p>
      <pre class="code" tabIndex={0}>
        <code>{SETUP_COMMANDS.compose}</code>
      </pre>
    </section>
  );
}
