import { createHash } from 'node:crypto';
import { SHOWN_FIELD } from '../../account/pages/kept-form-page';
import type { FormFields } from '../../common/http/json-body';
import { checkName, valueIn, withPlainBreaks } from '../../presentation/text/form-text';
import type { FormState } from './form-state';

/*
 * Determines which fields of a form the user has changed. A form is submitted with all its fields, so the old values of
 * the unchanged fields would undo changes that someone else made in the meantime.
 */

const LENGTH = 12;

export const digestOf = (text = ''): string =>
  createHash('sha256').update(withPlainBreaks(text)).digest('base64url').slice(0, LENGTH);

/**
 * The text of the form's hidden field: a digest of each value that the form shows.
 * @param names the fields that users can change; checkboxes use the name of their group
 */
export function shownDigests(names: readonly string[], values: FormFields): string {
  const boxes = Object.keys(values).filter((name) => names.some((group) => isBoxOf(group, name)));
  return JSON.stringify(
    Object.fromEntries([...names, ...boxes].map((name) => [name, digestOf(values[name])])),
  );
}

/**
 * The input with the current value of each field that the user has not changed, and the names of the fields whose
 * values were replaced.
 */
export function withCurrentValues(
  submitted: FormFields,
  current: FormFields,
): Pick<FormState, 'submitted' | 'replaced'> {
  const shown = digestsIn(submitted[SHOWN_FIELD]);
  const added = Object.keys(current).filter((name) =>
    [...shown.keys()].some((group) => isBoxOf(group, name)),
  );
  const untouched = [...new Set([...shown.keys(), ...added])].filter(
    (name) => digestOf(valueIn(submitted, name)) === (shown.get(name) ?? digestOf()),
  );
  const kept = Object.entries(submitted).filter(([name]) => !untouched.includes(name));
  const fresh = untouched.flatMap((name) => (Object.hasOwn(current, name) ? [[name, current[name]]] : []));
  return {
    submitted: Object.fromEntries([...kept, ...fresh]) as FormFields,
    replaced: untouched.filter(
      (name) => digestOf(valueIn(submitted, name)) !== digestOf(valueIn(current, name)),
    ),
  };
}

const isBoxOf = (group: string, name: string): boolean => name.startsWith(checkName(group, ''));

/** The digests in the hidden field's text; empty if the text has an unknown format. */
function digestsIn(text = ''): Map<string, string> {
  try {
    const parsed: unknown = JSON.parse(text);
    return new Map(Object.entries((parsed ?? {}) as Record<string, string>));
  } catch {
    return new Map();
  }
}
