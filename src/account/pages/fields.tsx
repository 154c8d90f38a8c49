import type { ComponentChildren, InputHTMLAttributes } from 'preact';

interface TextFieldProps {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  value?: string;
  autocomplete: string;
  /** What helps to fill it in. */
  hint?: string;
  error?: string | undefined;
  /** Is this where somebody goes on typing? */
  isFirst?: boolean;
}

/** A field with its label, and with what is wrong with it beside it. */
export function TextField({ name, label, hint, error, ...props }: TextFieldProps) {
  const notes = [
    ...(error === undefined ? [] : [`${name}-error`]),
    ...(hint === undefined ? [] : [`${name}-hint`]),
  ];
  // Each type of field has a type of its own, of which this is one of several.
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

/** What is wrong with a field, if anything. */
export function FieldError({ id, children }: { id: string; children: string | undefined }) {
  return children === undefined ? null : (
    <span class="error" id={id}>
      {children}
    </span>
  );
}

/** Something to know before anything else on the page; screen readers say it at once. */
export function Notice({ tone, children }: { tone: 'better' | 'worse'; children: ComponentChildren }) {
  return (
    <p class={`message tone-${tone}`} role={tone === 'worse' ? 'alert' : 'status'}>
      {children}
    </p>
  );
}

/** How long to wait before trying again. */
export const waitWords = (seconds: number): string =>
  `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
