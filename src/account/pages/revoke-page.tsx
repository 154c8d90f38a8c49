import type { ComponentChildren } from 'preact';
import { Name } from '../../presentation/components/name';
import { renderPage } from '../../presentation/layout';
import type { TokenRecord } from '../../tokens/tokens.service';
import { FormToken, Frame, SettingsPage } from './frame';

/** Where a token is revoked. */
export const revokePath = ({ base }: Frame, { id }: TokenRecord): string =>
  `${base}/settings/api-tokens/${id}/revoke`;

/** Asks whether a token is to be revoked. */
export function renderRevokePage(frame: Frame, token: TokenRecord): string {
  return renderPage(
    <SettingsPage frame={frame} title="Revoke a token" current="/settings/api-tokens">
      <section class="card">
        <form class="form" method="post" action={revokePath(frame, token)}>
          <h2>Revoke this token?</h2>
          <Consequences name={<Name>{token.name}</Name>} />
          <FormToken frame={frame} />
          <p class="actions">
            <RevokeButton />
            <a class="link-button" href={`${frame.base}/settings/api-tokens`}>
              Keep it
            </a>
          </p>
        </form>
      </section>
    </SettingsPage>,
  );
}

/** The same question for whichever token the script opens it with. */
export function RevokeDialog({ id, frame }: { id: string; frame: Frame }) {
  return (
    <dialog id={id} class="card" aria-labelledby={`${id}-title`}>
      <form class="form" method="post">
        <h2 id={`${id}-title`}>Revoke this token?</h2>
        <Consequences name={<bdi class="name" data-name />} />
        <FormToken frame={frame} />
        <p class="actions">
          <RevokeButton />
          <button class="quiet-button" type="button" data-closes autofocus>
            Keep it
          </button>
        </p>
      </form>
    </dialog>
  );
}

function Consequences({ name }: { name: ComponentChildren }) {
  return (
    <p>
      <strong>{name}</strong> stops working at once, and so does whatever uses it. It cannot be brought back.
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
