import { renderPage } from '../../presentation/layout';
import type { InvitedUser } from '../../users/invitation.store';
import { INVITATION_DAYS } from '../../users/invitations';
import type { FirstPasswordForm } from '../invitation.service';
import { type FieldErrors, Notice, TextField, waitWords } from './fields';
import { ProviderLink } from './sign-in-page';
import { Content, CsrfField, Frame, FramedPage } from './frame';

export interface InvitationPage {
  secret: string;
  invited: InvitedUser;
  /** The e-mail address of the user who is signed in on this browser, if any. */
  signedInAs: string | null;
  errors?: FieldErrors<FirstPasswordForm>;
}

const FIELDS = [
  { name: 'password', label: 'Password', hint: 'At least 10 characters.' },
  { name: 'repeated', label: 'Repeat password' },
] as const;

/** The page where an invited user sets a password. */
export function renderInvitationPage(frame: Frame, page: InvitationPage): string {
  const { secret, invited, signedInAs, errors = {} } = page;
  const firstWrong = FIELDS.find(({ name }) => errors[name] !== undefined)?.name;
  return renderPage(
    <FramedPage
      frame={frame}
      title="Set your password"
      prefix={firstWrong === undefined ? undefined : 'Error: '}
      referrer="strict-origin"
    >
      <Content class="card sign-in">
        <h1>Set your password</h1>
        <p>
          You have been invited to Gosset. Set a password for <bdi>{invited.email}</bdi>.
        </p>
        {signedInAs !== null && (
          <p>
            You are signed in as <bdi>{signedInAs}</bdi>. Setting a password signs you out first.
          </p>
        )}
        <form class="form" method="post" action={`${frame.base}/invitation/${secret}`} novalidate>
          <CsrfField frame={frame} />
          {/* Password managers look for this field. */}
          <input type="text" value={invited.email} autocomplete="username" readonly hidden />
          {FIELDS.map((field) => (
            <TextField
              key={field.name}
              {...field}
              type="password"
              autocomplete="new-password"
              error={errors[field.name]}
              isFirst={field.name === (firstWrong ?? 'password')}
            />
          ))}
          <p class="actions">
            <button class="button" type="submit">
              Set password and sign in
            </button>
          </p>
        </form>
      </Content>
    </FramedPage>,
  );
}

/** The page of an invitation link if password sign-in is switched off. */
export function renderProviderInvitationPage(frame: Frame, { email }: InvitedUser): string {
  return renderPage(
    <FramedPage frame={frame} title="You have been invited" referrer="strict-origin">
      <Content class="card sign-in">
        <h1>You have been invited to Gosset</h1>
        <p>
          Sign in as <bdi>{email}</bdi>.
        </p>
        <ProviderLink frame={frame} next={null} provider={frame.signIn.provider ?? ''} />
      </Content>
    </FramedPage>,
  );
}

/** The page of an invalid link, which does not reveal the reason. @param retryAfter seconds, after too many attempts */
export function renderInvalidInvitationPage(frame: Frame, retryAfter?: number): string {
  return renderPage(
    <FramedPage frame={frame} title="Invitation not valid" referrer="strict-origin">
      <Content class="card sign-in">
        <h1>This invitation is not valid</h1>
        {retryAfter !== undefined && <Notice tone="worse">{waitWords(retryAfter)}</Notice>}
        <p>
          An invitation link can be used once, is valid for {INVITATION_DAYS} days, and stops working when a
          newer link is created. Check that you copied the complete link.
        </p>
        <p>
          If you have already set your password, <a href={`${frame.base}/login`}>sign in</a>. Otherwise, ask a
          team admin for a new link.
        </p>
      </Content>
    </FramedPage>,
  );
}
