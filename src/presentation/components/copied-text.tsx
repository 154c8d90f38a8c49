interface CopiedTextProps {
  /** Unique on the page. */
  id: string;
  /** The label of the text. */
  label: string;
  children: string;
}

/** A text with a copy button; the button needs scripts. */
export function CopiedText({ id, label, children }: CopiedTextProps) {
  return (
    <div class="copied-text" role="group" aria-labelledby={`${id}-label`}>
      <p class="copied-head">
        <span class="small muted" id={`${id}-label`}>
          {label}
        </span>
        <span class="small muted" id={`${id}-status`} role="status" />
        <button class="quiet-button" type="button" data-copies={id} data-says={`${id}-status`} hidden>
          Copy<span class="visually-hidden"> {label}</span>
        </button>
      </p>
      <pre class="code" dir="ltr">
        <code id={id}>{children}</code>
      </pre>
    </div>
  );
}
