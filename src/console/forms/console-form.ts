import type { ComponentChildren } from 'preact';
import type { Permission, Role } from '../../platform/access/roles';
import type { FormFields } from '../../common/http/json-body';
import type { ApiCall } from '../curl';
import type { NoticeKey } from '../notices';
import type { Crumb } from '../pages/console-page';
import type { ApiAnswer } from './api-calls';
import { ETAG_FIELD } from '../../account/pages/kept-form-page';
import { FormState } from './form-state';

/** The subject of a form, with the role of the user. */
export interface FormSubject {
  role: Role;
}

/** The page after a successful submission. */
export interface Done {
  /** Its path. */
  path: string;
  /** The message on it. */
  notice: NoticeKey;
}

/**
 * A form of the console: a page, and the one API call that submitting it makes. The same call is shown as `curl`. The
 * API checks everything, so a form checks nothing.
 */
export interface ConsoleForm<Subject extends FormSubject> {
  /** The path of its page. The form is posted to the same path. */
  path: (subject: Subject) => string;
  /** From the first page to the form's parent page, which is the target of Cancel. */
  crumbs: (subject: Subject) => readonly Crumb[];
  title: (subject: Subject) => string;
  permission: (subject: Subject) => Permission;
  /** The ETag of the record, if a concurrent change since the page was opened should prevent this one. */
  etag?: (subject: Subject) => string | null;
  /**
   * Whether the record is already as the form would make it. Then changes since the page was opened do not prevent the
   * submission.
   */
  isReached?: (subject: Subject) => boolean;
  /** The current values of the fields. */
  values: (subject: Subject) => FormFields;
  /** The text and the fields. Addresses of links begin with `base`. */
  Body: (props: { subject: Subject; form: FilledForm; base: string }) => ComponentChildren;
  /** Whether the API would refuse it now, for the reasons in the text. Then its page has no button. */
  isRefused?: (subject: Subject) => boolean;
  /** The text of the button. */
  button: (subject: Subject) => string;
  isDanger?: boolean;
  call: (subject: Subject, values: FormFields) => ApiCall;
  /** The content of the next page if the response has a secret, which is shown only once; otherwise null. */
  reveal?: (subject: Subject, answer: ApiAnswer) => ComponentChildren;
  done: (subject: Subject, answer: ApiAnswer) => Done;
}

/** The values of a form's fields: the user's input, otherwise the current values. */
export interface FilledForm extends Pick<FormState, 'errors' | 'isStale' | 'replaced'> {
  values: FormFields;
  current: FormFields;
  /** The labels of the fields that were rendered so far, by name. */
  labels: Map<string, string>;
}

/** @param labels collects the labels */
export function fill<S extends FormSubject>(
  form: ConsoleForm<S>,
  subject: S,
  state: FormState,
  labels: FilledForm['labels'] = new Map(),
): FilledForm {
  const { submitted, errors, isStale, replaced } = state;
  const current = form.values(subject);
  return { values: submitted ?? current, current, errors, isStale, replaced, labels };
}

/** The API call of the form with its current values. */
export function callOf<S extends FormSubject>(form: ConsoleForm<S>, subject: S, state: FormState): ApiCall {
  const { submitted, isStale } = state;
  const call = form.call(subject, fill(form, subject, state).values);
  const current = form.etag?.(subject) ?? null;
  // After a conflict, the user has seen the current values. After other errors, the ETag of the first display still
  // applies.
  const ifMatch = isStale ? current : (submitted?.[ETAG_FIELD] ?? current);
  return ifMatch === null || ifMatch === '' ? call : { ...call, ifMatch };
}
