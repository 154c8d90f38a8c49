import { CsrfField, Frame } from '../../account/pages/frame';
import type { FormFields } from '../../common/http/json-body';
import {
  callOf,
  ConsoleForm,
  describedDigest,
  fill,
  type FilledForm,
  FormSubject,
} from '../forms/console-form';
import { DESCRIBED_FIELD, ETAG_FIELD, KEY_FIELD, SHOWN_FIELD } from '../../account/pages/kept-form-page';
import { FormState, newForm } from '../forms/form-state';
import { shownDigests } from '../forms/untouched-fields';
import { ShowAsCurl } from './show-as-curl';

interface ActionFormProps<S extends FormSubject> {
  /** Unique on the page. */
  id: string;
  frame: Frame;
  form: ConsoleForm<S>;
  subject: S;
  /** The default is a form that has not been submitted yet. */
  state?: FormState;
  /** Whether to show just a button, next to content that explains it. */
  isBare?: boolean;
  /** Collects the labels of the fields. */
  labels?: FilledForm['labels'];
}

/** A form with its button, and the same call as a `curl` command. Show it only to users with the form's permission. */
export function ActionForm<S extends FormSubject>(props: ActionFormProps<S>) {
  const { id, frame, form, subject, state = newForm(), isBare = false, labels } = props;
  const call = callOf(form, subject, state);
  const filled = fill(form, subject, state, labels);
  const described = describedDigest(form, subject);
  const back = `${frame.base}${form.crumbs(subject).at(-1)?.path ?? '/'}`;
  if (form.isRefused?.(subject) === true) {
    return (
      <div class="action">
        <form.Body subject={subject} form={filled} base={frame.base} />
        <p class="actions">
          <a class="link-button" href={back}>
            Back
          </a>
        </p>
      </div>
    );
  }
  return (
    <div class="action">
      <form class="form" method="post" action={`${frame.base}${form.path(subject)}`} novalidate>
        <CsrfField frame={frame} />
        <input type="hidden" name={KEY_FIELD} value={state.formKey} />
        {call.ifMatch !== undefined && <input type="hidden" name={ETAG_FIELD} value={call.ifMatch} />}
        {described !== null && <input type="hidden" name={DESCRIBED_FIELD} value={described} />}
        {isBare ? (
          <HiddenValues values={filled.current} />
        ) : (
          <form.Body subject={subject} form={filled} base={frame.base} />
        )}
        {call.ifMatch !== undefined && !isBare && <ShownField form={filled} submitted={state.submitted} />}
        <p class="actions">
          <button class={form.isDanger === true ? 'button danger' : 'button'} type="submit">
            {form.button(subject)}
          </button>
          {!isBare && (
            <a class="link-button" href={back}>
              Cancel
            </a>
          )}
        </p>
      </form>
      <ShowAsCurl id={`${id}-curl`} frame={frame} call={call} />
    </div>
  );
}

/**
 * The hidden field with digests of the shown values. Rendered after the other fields, because it needs their names.
 * After a conflict, the form shows the current values.
 */
function ShownField({ form, submitted }: { form: FilledForm; submitted: FormFields | null }) {
  const first = form.isStale ? undefined : submitted?.[SHOWN_FIELD];
  const shown = first ?? shownDigests([...form.labels.keys()], form.current);
  return <input type="hidden" name={SHOWN_FIELD} value={shown} />;
}

/** The current values of a form that shows neither text nor fields. */
function HiddenValues({ values }: { values: FormFields }) {
  return (
    <>
      {Object.entries(values).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}
