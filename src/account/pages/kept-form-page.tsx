import type { FormFields } from '../../common/http/json-body';
import { capitalized } from '../../common/text/strings';
import { labelOf } from '../../common/validation/fields';
import { inTextArea } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { CSRF_FIELD } from '../csrf';
import { CONFIRMATION_FIELD } from '../password-confirmation';
import { NEWEST_TOKEN } from '../token-form';
import { Content, CsrfField, Frame, FramedPage } from './frame';

/** The hidden field with the ETag of the record that the form shows. */
export const ETAG_FIELD = 'if_match';

/** The hidden field with a random value for each form, so that a form submitted twice is processed only once. */
export const KEY_FIELD = 'form_key';

/** The hidden field with a digest of each value as the form first showed it. */
export const SHOWN_FIELD = 'shown';

/**
 * The hidden field of a decision form: `yes` if there is a decision. Submitting the form without an outcome then
 * removes the decision.
 */
export const DECIDED_FIELD = 'is_decided';

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

/** A submitted form that was not processed, because the session in which it was opened has ended. */
export interface KeptForm {
  /** The path to which the form is submitted again. */
  path: string;
  fields: FormFields;
}

/** Fields that users do not fill in. */
const TECHNICAL = [KEY_FIELD, ETAG_FIELD, SHOWN_FIELD, NEWEST_TOKEN];

/**
 * The fields with input. `DECIDED_FIELD` is one of them, because a decision form without any other input removes the
 * decision.
 */
const inputOf = (fields: FormFields): [name: string, value: string][] =>
  keptOf(fields).filter(([name, value]) => value !== '' && !TECHNICAL.includes(name));

const listedOf = (fields: FormFields): [name: string, value: string][] =>
  inputOf(fields).filter(([name]) => name !== DECIDED_FIELD);

export const hasInput = (fields: FormFields): boolean => inputOf(fields).length > 0;

/**
 * Offers to submit a form again, and shows its input. The page contains a CSRF token only if a user is signed in.
 * Otherwise, the user opens a new tab to sign in and then continues, which shows this page again with a CSRF token and
 * the signed-in user.
 */
export function renderKeptFormPage(frame: Frame, { path, fields }: KeptForm): string {
  const isSignedIn = frame.email !== null;
  const title = isSignedIn ? 'This form has expired' : 'Your session has ended';
  return renderPage(
    <FramedPage frame={frame} title={title} prefix="Error: ">
      <Content class="card sign-in">
        <h1>{title}</h1>
        {isSignedIn ? <SendAgain email={frame.email ?? ''} /> : <SignInAgain frame={frame} />}
        <form class="form" method="post" action={`${frame.base}${path}`} novalidate>
          {isSignedIn && <CsrfField frame={frame} />}
          <KeptFields fields={fields} />
          <p class="actions">
            <button class="button" type="submit">
              {isSignedIn ? 'Send the form again' : 'Continue'}
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
