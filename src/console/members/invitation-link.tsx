import { ShownOnce } from '../../presentation/components/shown-once';

/** An invitation link with a copy button. No other page shows it. */
export function InvitationLink({ email, url }: { email: string; url: string }) {
  return (
    <ShownOnce id="invitation" title="Copy the invitation link now" label="Invitation link" secret={url}>
      Send it to <bdi>{email}</bdi>. It is shown only once, and works once, for 7 days. Anyone with the link
      can set the password of this user.
    </ShownOnce>
  );
}
