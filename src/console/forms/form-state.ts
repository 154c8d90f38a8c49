import { createHash, randomUUID } from 'node:crypto';
import { ETAG_FIELD, KEY_FIELD } from '../../account/pages/kept-form-page';
import type { FormFields } from '../../common/http/json-body';
import { withMoments } from '../../presentation/text/dates';
import type { ApiCall } from '../curl';
import type { ApiAnswer } from './api-calls';

/** The state of a form: the user's input and its errors. */
export interface FormState {
  /** Null before the first submission. */
  submitted: FormFields | null;
  /** Messages by API field. */
  errors: Readonly<Record<string, readonly string[] | undefined>>;
  /** A message that concerns no particular field. */
  problem: string | null;
  /** Whether someone else has changed the record since the form was opened. */
  isStale: boolean;
  /** Fields changed by someone else but not by this user. These fields show the current values. */
  replaced: readonly string[];
  formKey: string;
}

/** A form that has not been submitted yet. */
export const newForm = (): FormState => ({
  submitted: null,
  errors: {},
  problem: null,
  isStale: false,
  replaced: [],
  formKey: randomUUID(),
});

const CHANGED =
  'Someone else changed this after you opened the form. Nothing was saved. Check the current values and submit again.';

/**
 * Messages for the statuses, apart from 422, after which the form is shown again. After other statuses, submitting it
 * again would not help.
 */
const MESSAGES: Readonly<Record<number, string>> = {
  409: 'The server is still working on this form. Wait a moment and submit it again; it is processed only once.',
  412: CHANGED,
  429: 'You have sent too many requests this minute.',
  503: 'The server is busy or cannot reach its database. Your input may not have been saved.',
};

/** The form to show after a rejected submission; null if submitting again cannot succeed. */
export function refusedForm(submitted: FormFields, { status, headers, body }: ApiAnswer): FormState | null {
  const retry = headers['retry-after'];
  const wait = retry === undefined || status === 409 ? '' : ` Try again in ${secondsIn(retry)}.`;
  const message = MESSAGES[status];
  // A retry counts as the same submission until the page has given the user a reason to change it.
  const formKey = status === 412 || status === 422 ? randomUUID() : (submitted[KEY_FIELD] ?? randomUUID());
  if (status === 422) {
    const { message: problem, errors = {} } = body as { message: string; errors?: FormState['errors'] };
    const shown = Object.entries(errors).map(([path, texts = []]) => [path, texts.map(withMoments)]);
    return {
      ...newForm(),
      submitted,
      errors: Object.fromEntries(shown) as FormState['errors'],
      problem: withMoments(problem),
      formKey,
    };
  }
  return message === undefined
    ? null
    : { ...newForm(), submitted, problem: `${message}${wait}`, isStale: status === 412, formKey };
}

/** The form to show again if the record was in a different state when the form was opened. */
export const staleForm = (submitted: FormFields): FormState => ({
  ...newForm(),
  submitted,
  problem: CHANGED,
  isStale: true,
});

const secondsIn = (retryAfter: string): string =>
  `${retryAfter} ${retryAfter === '1' ? 'second' : 'seconds'}`;

/** The call with the `If-Match` condition of the submitted form. */
export const conditional = (call: ApiCall, { [ETAG_FIELD]: ifMatch = '' }: FormFields): ApiCall =>
  ifMatch === '' ? call : { ...call, ifMatch };

/**
 * The `Idempotency-Key` of a submission. If the user goes back and enters something else in the same form, that is a
 * new submission.
 */
export function submissionKey(call: ApiCall, { [KEY_FIELD]: formKey = randomUUID() }: FormFields): string {
  const { method, path, body } = call;
  return createHash('sha256')
    .update(JSON.stringify([formKey, method, path, body]))
    .digest('base64url');
}
