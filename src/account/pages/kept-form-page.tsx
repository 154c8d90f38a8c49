import type { ComponentChildren } from 'preact';
import type { FormFields } from '../../common/http/json-body';
import { capitalized } from '../../common/text/strings';
import { labelOf } from '../../common/validation/fields';
import { inTextArea } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { CSRF_FIELD } from '../csrf';
import { CONFIRMATION_FIELD } from '../password-confirmation';
import { NEWEST_TOKEN } from '../token-form';
import { BUSY, BUSY_REASON } from './error-page';
import { Content, CsrfField, Frame, FramedPage } from './frame';

/** The hidden field with the ETag of the record that the form shows. */
export const ETAG_FIELD = 'if_match';

/** The hidden field with a random value for each form, so that a form submitted twice is processed only once. */
export const KEY_FIELD = 'form_key';

/** The hidden field with a digest of the consequences that the form described. */
export const DESCRIBED_FIELD = 'described';

/** The hidden field with a digest of each value as the form first showed it. */
export const SHOWN_FIELD = 'shown';

/**
 * The hidden field of a decision form: `yes` if there is a decision. Submitting the form without an outcome then
 * removes the decision.
 */
export const DECIDED_FIELD = 'is_decided';

/** The hidden field with the id of the primary goal when the form was opened. */
export const OPENING_GOAL_FIELD = 'opening_primary_goal';

/** The submitted fields to send again, except for the old CSRF token and the password. */
const keptOf = (fields: FormFields): [name: string, value: string][] =>
  Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === CSRF_FIELD || name === CONFIRMATION_FIELD ? [] : [[name, value]],
  );

/** Hidden fields that submit the kept values again. */
export function KeptFields({ fields }: { fields: FormFields }) {
  return (
    <>
      {keptOf(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/**
 * A submitted form that was not processed, because the session in which it was opened has ended or the server is busy.
 */
export interface KeptForm {
  /** The path to which the form is submitted again. */
  path: string;
  fields: FormFields;
  isBusy: boolean;
}

/** Fields that users do not fill in. */
const TECHNICAL = [KEY_FIELD, ETAG_FIELD, DESCRIBED_FIELD, SHOWN_FIELD, NEWEST_TOKEN, OPENING_GOAL_FIELD];

/**
 * The fields with input. `DECIDED_FIELD` is one of them, because a decision form without any other input removes the
 * decision.
 */
const inputOf = (fields: FormFields): [name: string, value: string][] =>
  keptOf(fields).filter(([name, value]) => value !== '' && !TECHNICAL.includes(name));

const listedOf = (fields: FormFields): [name: string, value: string][] =>
  inputOf(fields).filter(([name]) => name !== DECIDED_FIELD);

export const hasInput = (fields: FormFields): boolean => inputOf(fields).length > 0;

interface Explained {
  title: string;
  text: ComponentChildren;
  /** The CSRF token to send; null if the page has none. */
  csrfToken: string | null;
}

/**
 * What the page says. It contains a new CSRF token only if a user is signed in. If the session has ended, the user opens
 * a new tab to sign in and then continues, which shows the page again with a CSRF token and the signed-in user. If the
 * session could not be looked up, the form's own token is sent again.
 */
function explained(frame: Frame, { fields, isBusy }: KeptForm): Explained {
  const { email, csrfToken } = frame;
  if (isBusy) {
    // The handlers of these forms run only after the session has been found.
    const token = email === null ? (fields[CSRF_FIELD] ?? '') : csrfToken;
    return { title: BUSY, text: <SendLater isUnchanged={email === null} />, csrfToken: token };
  }
  return email === null
    ? { title: 'Your session has ended', text: <SignInAgain frame={frame} />, csrfToken: null }
    : { title: 'This form has expired', text: <SendAgain email={email} />, csrfToken };
}

/** Offers to submit a form again, and shows its input. */
export function renderKeptFormPage(frame: Frame, kept: KeptForm): string {
  const { path, fields } = kept;
  const { title, text, csrfToken } = explained(frame, kept);
  return renderPage(
    <FramedPage frame={frame} title={title} prefix="Error: ">
      <Content class="card sign-in">
        <h1>{title}</h1>
        {text}
        <form class="form" method="post" action={`${frame.base}${path}`} novalidate>
          {csrfToken !== null && <CsrfField frame={{ csrfToken }} />}
          <KeptFields fields={fields} />
          <p class="actions">
            <button class="button" type="submit">
              {csrfToken === null ? 'Continue' : 'Send the form again'}
            </button>
            <a class="link-button" href={`${frame.base}/`}>
              Go to your experiments
            </a>
          </p>
        </form>
        <Input fields={fields} />
      </Content>
    </FramedPage>,
  );
}

function SignInAgain({ frame }: { frame: Frame }) {
  return (
    <>
      <p>Nothing was changed, and your input is kept on this page.</p>
      <p>
        <a href={`${frame.base}/login`} target="_blank" rel="noopener">
          Sign in again in a new tab
        </a>
        , then come back to this tab and continue.
      </p>
    </>
  );
}

function SendAgain({ email }: { email: string }) {
  return (
    <p>
      Nothing was changed. You signed in or out after you opened the form. Your input is kept on this page:
      send it again as <bdi>{email}</bdi>, or leave the page to discard it.
    </p>
  );
}

function SendLater({ isUnchanged }: { isUnchanged: boolean }) {
  return (
    <p>
      {BUSY_REASON} {isUnchanged ? 'Nothing was changed.' : 'It may not have saved your input.'} Your input is
      kept on this page: send it again in a moment, or leave the page to discard it.
    </p>
  );
}

/** The input, so users can see and copy what they send. */
function Input({ fields }: { fields: FormFields }) {
  return (
    <details>
      <summary>Your input</summary>
      <div class="form">
        {listedOf(fields).map(([name, value]) => (
          <div key={name} class="field">
            <label for={`input-${name}`}>{capitalized(labelOf(name.replaceAll('.', '_')))}</label>
            <textarea id={`input-${name}`} rows={value.includes('\n') ? 8 : 1} readonly>
              {inTextArea(value)}
            </textarea>
          </div>
        ))}
      </div>
    </details>
  );
}
