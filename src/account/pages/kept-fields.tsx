import type { FormFields } from '../../common/http/json-body';
import { CSRF_FIELD } from '../csrf';
import { CONFIRMATION_FIELD } from '../password-confirmation';

/** The hidden field with the ETag of the record as the form shows it. */
export const ETAG_FIELD = 'if_match';

/** The hidden field with a random value for each form, so that a form that is submitted twice counts once. */
export const KEY_FIELD = 'form_key';

/** The hidden field with a digest of each value as the form showed it first. */
export const SHOWN_FIELD = 'shown';

/** The hidden field that determines whether a form without an outcome removes the decision. */
export const DECIDED_FIELD = 'is_decided';

/** The submitted fields to send again: neither the old CSRF token nor the password. */
export const keptOf = (fields: FormFields): [name: string, value: string][] =>
  Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === CSRF_FIELD || name === CONFIRMATION_FIELD ? [] : [[name, value]],
  );

/** Hidden fields with which a page sends a submitted form again. */
export function KeptFields({ fields }: { fields: FormFields }) {
  return (
    <>
      {keptOf(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}
