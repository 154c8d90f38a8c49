import type { ComponentChildren } from 'preact';
import type { Permission, Role } from '../../platform/access/roles';
import type { FormFields } from '../../common/http/json-body';
import type { ApiCall } from '../curl';
import type { NoticeKey } from '../notices';
import type { Crumb } from '../pages/console-page';
import type { ApiAnswer } from './api-calls';
import { ETAG_FIELD } from '../../account/pages/kept-form-page';
import { FormState } from './form-state';
import { digestOf } from './untouched-fields';

/** The subject of a form, with the user's role. */
export interface FormSubject {
  role: Role;
}

/** The page after a successful submission. */
export interface Done {
  /** The path of the page. */
  path: string;
  /** The message on the page. */
  notice: NoticeKey;
}

/**
 * A console form: a page, and the single API call that submitting the form makes, also shown as `curl`. The API
 * performs all checks, so forms perform none.
 */
export interface ConsoleForm<Subject extends FormSubject> {
  /** The path of the form's page. The form is submitted to the same path. */
  path: (subject: Subject) => string;
  /** Breadcrumbs from the first page to the form's parent page, to which Cancel leads. */
  crumbs: (subject: Subject) => readonly Crumb[];
  title: (subject: Subject) => string;
  permission: (subject: Subject) => Permission;
  /** The record's ETag, if a concurrent change since the page was opened should block the submission. */
  etag?: (subject: Subject) => string | null;
  /**
   * Whether the record is already in the state that the form would produce. If so, changes since the page was opened do
   * not block the submission.
   */
  isReached?: (subject: Subject) => boolean;
  /**
   * The consequences that the form describes, if the ETag does not cover them. If they have changed by the time of the
   * submission, the form is shown again. Null if there are none, for example because the form was already submitted.
   */
  describes?: (subject: Subject) => object | null;
  /** The current values of the fields. */
  values: (subject: Subject) => FormFields;
  /** The form's text and fields. Link URLs begin with `base`. */
  Body: (props: { subject: Subject; form: FilledForm; base: string }) => ComponentChildren;
  /**
   * Whether the API would reject the form now, for reasons that the form's text explains. In that case, the page has no
   * button.
   */
  isRefused?: (subject: Subject) => boolean;
  /** The text of the button. */
  button: (subject: Subject) => string;
  isDanger?: boolean;
  call: (subject: Subject, values: FormFields) => ApiCall;
  /** The content of the next page if the response contains a secret, which is shown only once; otherwise null. */
  reveal?: (subject: Subject, answer: ApiAnswer) => ComponentChildren;
  done: (subject: Subject, answer: ApiAnswer) => Done;
}

/** The values of a form's fields: the user's input, or the current values before any input. */
export interface FilledForm extends Pick<FormState, 'errors' | 'isStale' | 'replaced'> {
  values: FormFields;
  current: FormFields;
  /** The labels of the fields rendered so far, by name. */
  labels: Map<string, string>;
}

/** @param labels filled with the labels of rendered fields */
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

/** The text of the form's hidden field: a digest of the consequences that the form describes; null without any. */
export function describedDigest<S extends FormSubject>(form: ConsoleForm<S>, subject: S): string | null {
  const described = form.describes?.(subject) ?? null;
  return described === null ? null : digestOf(JSON.stringify(described));
}

/** The API call of the form with its current values. */
export function callOf<S extends FormSubject>(form: ConsoleForm<S>, subject: S, state: FormState): ApiCall {
  const { submitted, isStale } = state;
  const call = form.call(subject, fill(form, subject, state).values);
  const current = form.etag?.(subject) ?? null;
  // After a conflict, the user has seen the current values. After other errors, the ETag from when the form was first
  // shown still applies.
  const ifMatch = isStale ? current : (submitted?.[ETAG_FIELD] ?? current);
  return ifMatch === null || ifMatch === '' ? call : { ...call, ifMatch };
}
