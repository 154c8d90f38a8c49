import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import type { PasswordForm } from '../password-change.service';
import { type FieldErrors, Notice, TextField, waitWords } from './fields';
import { CsrfField, Frame, SettingsPage } from './frame';

export interface PasswordPage {
  isChanged?: boolean;
  /** Seconds until the next attempt. */
  retryAfter?: number;
  errors?: FieldErrors<PasswordForm>;
}

const FIELDS = [
  { name: 'current', label: 'Current password', autocomplete: 'current-password' },
  { name: 'password', label: 'New password', autocomplete: 'new-password', hint: 'At least 10 characters.' },
  { name: 'repeated', label: 'Repeat new password', autocomplete: 'new-password' },
] as const;

/** The page for changing the password. */
export function renderPasswordPage(frame: Frame, page: PasswordPage): string {
  const { isChanged = false, retryAfter, errors = {} } = page;
  const firstWrong = FIELDS.find(({ name }) => errors[name] !== undefined)?.name;
  const hasFailed = retryAfter !== undefined || firstWrong !== undefined;
  return renderPage(
    <SettingsPage
      frame={frame}
      title="Password"
      prefix={hasFailed ? 'Error: ' : undefined}
      current="/settings/password"
    >
      {isChanged && (
        <Notice tone="better">Your password was changed. You were signed out of all other sessions.</Notice>
      )}
      {retryAfter !== undefined && <Notice tone="worse">{waitWords(retryAfter)}</Notice>}
      <section class="card" aria-labelledby="change-title">
        <form class="form" method="post" action={`${frame.base}/settings/password`} novalidate>
          <h2 id="change-title">Change your password</h2>
          <CsrfField frame={frame} />
          {/* Password managers look for this field. */}
          <input type="text" value={frame.email ?? ''} autocomplete="username" readonly hidden />
          {FIELDS.map((field) => (
            <TextField
              key={field.name}
              {...field}
              type="password"
              error={errors[field.name]}
              isFirst={field.name === firstWrong}
            />
          ))}
          <p class="actions">
            <button class="button" type="submit">
              Change password
            </button>
          </p>
          <p class="small muted">
            This signs you out of all other sessions. API tokens keep working. Revoke any API tokens that may
            be compromised.
          </p>
        </form>
      </section>
    </SettingsPage>,
  );
}

/** The page for a user who has no password to change. */
export function renderNoPasswordPage(frame: Frame): string {
  const { provider } = frame.signIn;
  return renderPage(
    <SettingsPage frame={frame} title="Password" current="/settings/password">
      <section class="card">
        <p>Your account has no password.</p>
        {provider !== null && (
          <p>
            You sign in with <Name>{provider}</Name>.
          </p>
        )}
        <p>A server administrator can set a password for you.</p>
      </section>
    </SettingsPage>,
  );
}
