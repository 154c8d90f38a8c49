import type { ComponentChildren } from 'preact';
import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import type { TokenRecord } from '../../auth/tokens/tokens.service';
import { CsrfField, Frame, SettingsPage } from './frame';

/** The path for revoking a token. */
export const revokePath = ({ base }: Frame, { id }: TokenRecord): string =>
  `${base}/settings/api-tokens/${id}/revoke`;

/** The confirmation page for revoking a token. */
export function renderRevokePage(frame: Frame, token: TokenRecord): string {
  return renderPage(
    <SettingsPage frame={frame} title="Revoke a token" current="/settings/api-tokens">
      <section class="card">
        <form class="form" method="post" action={revokePath(frame, token)}>
          <h2>Revoke this token?</h2>
          <Consequences name={<Name>{token.name}</Name>} />
          <CsrfField frame={frame} />
          <p class="actions">
            <RevokeButton />
            <a class="link-button" href={`${frame.base}/settings/api-tokens`}>
              Cancel
            </a>
          </p>
        </form>
      </section>
    </SettingsPage>,
  );
}

/** The same question as a dialog. The script sets the token. */
export function RevokeDialog({ id, frame }: { id: string; frame: Frame }) {
  return (
    <dialog id={id} class="card" aria-labelledby={`${id}-title`}>
      <form class="form" method="post">
        <h2 id={`${id}-title`}>Revoke this token?</h2>
        <Consequences name={<bdi class="name" data-name />} />
        <CsrfField frame={frame} />
        <p class="actions">
          <RevokeButton />
          <button class="quiet-button" type="button" data-closes autofocus>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  );
}

function Consequences({ name }: { name: ComponentChildren }) {
  return (
    <p>
      <strong>{name}</strong> stops working immediately, for every script that uses it. You cannot undo this.
    </p>
  );
}

function RevokeButton() {
  return (
    <button class="button danger" type="submit">
      Revoke
    </button>
  );
}
