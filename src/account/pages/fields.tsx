import type { ComponentChildren, InputHTMLAttributes } from 'preact';

/** Validation errors in a form, by field. */
export type FieldErrors<Form> = { readonly [Field in keyof Form]?: string };

interface TextFieldProps {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  value?: string;
  autocomplete: string;
  /** A hint for the input. */
  hint?: string;
  error?: string | undefined;
  /** Whether the field gets the focus. */
  isFirst?: boolean;
}

/** A field with its label and its error. */
export function TextField({ name, label, hint, error, ...props }: TextFieldProps) {
  const notes = [
    ...(error === undefined ? [] : [`${name}-error`]),
    ...(hint === undefined ? [] : [`${name}-hint`]),
  ];
  // Cast, because the type of the input attributes depends on the input type, and `type` is known only at run time.
  const attributes = {
    type: props.type ?? 'text',
    value: props.value ?? '',
    autocomplete: props.autocomplete,
    autofocus: props.isFirst ?? false,
    ...(error !== undefined && { 'aria-invalid': 'true' }),
    ...(notes.length > 0 && { 'aria-describedby': notes.join(' ') }),
  } as InputHTMLAttributes;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} required {...attributes} />
      {hint !== undefined && (
        <span class="small muted" id={`${name}-hint`}>
          {hint}
        </span>
      )}
      <FieldError id={`${name}-error`}>{error}</FieldError>
    </div>
  );
}

/** The error of a field, if any. */
export function FieldError({ id, children }: { id: string; children: string | undefined }) {
  return children === undefined ? null : (
    <span class="error" id={id}>
      {children}
    </span>
  );
}

/** A message at the top of a page; screen readers announce it immediately. */
export function Notice({ tone, children }: { tone: 'better' | 'worse'; children: ComponentChildren }) {
  return (
    <p class={`message tone-${tone}`} role={tone === 'worse' ? 'alert' : 'status'}>
      {children}
    </p>
  );
}

/** Says how long to wait before the next attempt. */
export const waitWords = (seconds: number): string =>
  `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
