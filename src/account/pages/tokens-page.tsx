import type { ComponentChildren } from 'preact';
import { renderPage } from '../../presentation/layout';
import { Moment, Name } from '../../presentation/components/text';
import { ShownOnce } from '../../presentation/components/copied-text';
import { Column, Table } from '../../presentation/components/table';
import type { TokenProject } from '../../users/tokens/token.store';
import type { IssuedToken, TokenPermission, TokenRecord } from '../../users/tokens/tokens.service';
import type { Ability } from '../../platform/access/actor';
import { plainName } from '../../presentation/text/words';
import { NEW_TOKEN, NEWEST_TOKEN, TokenForm } from '../token-form';
import { FieldError, type FieldErrors, Notice, TextField } from './fields';
import { CsrfField, Frame, SettingsPage } from './frame';
import { Expiry, ExpiryCell, ProjectAccess, ProjectsCell } from './token-limits';

/** The path for revoking a token. */
const revokePath = ({ base }: Frame, { id }: TokenRecord): string =>
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

/** The confirmation for revoking a token, as a dialog. The script sets the token. */
function RevokeDialog({ id, frame }: { id: string; frame: Frame }) {
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
      <strong>{name}</strong> stops working immediately for every script that uses it. You cannot undo this.
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

/** Display names of the permissions that a token can have. */
const PERMISSIONS: Readonly<Record<TokenPermission, { name: string; allows: string }>> = {
  read: { name: 'Read only', allows: 'Reading data' },
  write: { name: 'Read & write', allows: 'Reading, creating, changing and deleting data' },
};

/** The name of the permission with these abilities. */
const permissionName = (abilities: readonly Ability[]): string =>
  PERMISSIONS[abilities.includes('write') ? 'write' : 'read'].name;

export interface TokensPage {
  tokens: readonly TokenRecord[];
  /** The projects of the user. */
  projects: readonly TokenProject[];
  /** A new token. The token itself is shown only once. */
  issued?: IssuedToken;
  isRevoked?: boolean;
  /** Whether the user has just confirmed their identity. */
  isConfirmed?: boolean;
  /** The submitted values and their errors. */
  form?: TokenForm;
  errors?: FieldErrors<TokenForm>;
}

const DIALOG = 'revoke';

/** The page with the user's API tokens. */
export function renderTokensPage(frame: Frame, page: TokensPage): string {
  const { tokens, projects, issued, isRevoked = false, isConfirmed = false, form, errors = {} } = page;
  const prefix = Object.keys(errors).length > 0 ? 'Error: ' : undefined;
  return renderPage(
    <SettingsPage frame={frame} title="API tokens" prefix={prefix} current="/settings/api-tokens">
      {isRevoked && <Notice tone="better">The token was revoked.</Notice>}
      {isConfirmed && (
        <Notice tone="better">
          Confirmed. Go back to the tab with your form and continue. You can create tokens for the next 15
          minutes.
        </Notice>
      )}
      {issued !== undefined && <NewToken token={issued} />}
      <section class="card">
        {tokens.length === 0 ? <NoTokens /> : <TokenTable frame={frame} tokens={tokens} />}
      </section>
      <CreateForm
        frame={frame}
        newest={tokens.at(-1)?.id ?? 0}
        projects={projects}
        form={form}
        errors={errors}
      />
      {tokens.length > 0 && <RevokeDialog id={DIALOG} frame={frame} />}
    </SettingsPage>,
  );
}

function NewToken({ token }: { token: IssuedToken }) {
  return (
    <ShownOnce
      id="new-token"
      title={
        <>
          Copy the token <Name>{token.name}</Name> now
        </>
      }
      label="API token"
      secret={token.token}
    >
      The token is shown only once. Anyone with the token can use its permissions, so treat it like a
      password.
    </ShownOnce>
  );
}

function NoTokens() {
  return (
    <>
      <h2>No tokens yet</h2>
      <p class="muted">
        Scripts and other systems call the API with a token. Create a separate token for each.
      </p>
    </>
  );
}

const COLUMNS: readonly Column[] = [
  { key: 'name', title: 'Name' },
  { key: 'abilities', title: 'Permission' },
  { key: 'projects', title: 'Projects' },
  { key: 'expires', title: 'Expires' },
  { key: 'used', title: 'Last used' },
  { key: 'created', title: 'Created' },
  { key: 'revoke', title: 'Action' },
];

function TokenTable({ frame, tokens }: { frame: Frame; tokens: readonly TokenRecord[] }) {
  const rows = tokens.map((token) => ({
    key: token.id,
    cells: [
      <Name>{token.name}</Name>,
      <span class="nowrap">{permissionName(token.abilities)}</span>,
      <ProjectsCell token={token} />,
      <ExpiryCell token={token} />,
      token.last_used_at === null ? 'Never' : <Moment at={token.last_used_at} />,
      <Moment at={token.created_at} />,
      <a
        class="danger-link"
        href={revokePath(frame, token)}
        data-dialog={DIALOG}
        data-name={plainName(token.name)}
      >
        Revoke<span class="visually-hidden"> {plainName(token.name)}</span>
      </a>,
    ],
  }));
  return <Table caption="Your API tokens" columns={COLUMNS} rows={rows} form="cards" />;
}

interface CreateFormProps {
  frame: Frame;
  /** The id of the newest token; 0 if there is none. */
  newest: number;
  projects: readonly TokenProject[];
  form: TokenForm | undefined;
  errors: FieldErrors<TokenForm>;
}

function CreateForm({ frame, newest, projects, form = NEW_TOKEN, errors }: CreateFormProps) {
  return (
    <section class="card" aria-labelledby="create-title">
      <form class="form" method="post" action={`${frame.base}/settings/api-tokens`} novalidate>
        <h2 id="create-title">Create a token</h2>
        <CsrfField frame={frame} />
        <input type="hidden" name={NEWEST_TOKEN} value={newest} />
        <TextField
          name="name"
          label="Name"
          value={form.name}
          autocomplete="off"
          hint="The script or system that will use the token."
          error={errors.name}
          isFirst={errors.name !== undefined}
        />
        <Permissions chosen={form.permission} error={errors.permission} />
        <Expiry chosen={form.expires} error={errors.expires} />
        <ProjectAccess form={form} projects={projects} error={errors.access} />
        <p class="actions">
          <button class="button" type="submit">
            Create token
          </button>
        </p>
        <p class="small muted">
          A token has your role in each team until it expires or you revoke it. Do not put it in a site's code
          or a public repository.
        </p>
      </form>
    </section>
  );
}

function Permissions({ chosen, error }: { chosen: string; error: string | undefined }) {
  return (
    <fieldset class="field" {...(error !== undefined && { 'aria-describedby': 'permission-error' })}>
      <legend>Permission</legend>
      {(Object.keys(PERMISSIONS) as TokenPermission[]).map((permission) => (
        <label key={permission} class="choice">
          <input type="radio" name="permission" value={permission} checked={permission === chosen} required />
          <span>
            {PERMISSIONS[permission].name}
            <span class="range">{PERMISSIONS[permission].allows}</span>
          </span>
        </label>
      ))}
      <FieldError id="permission-error">{error}</FieldError>
    </fieldset>
  );
}
