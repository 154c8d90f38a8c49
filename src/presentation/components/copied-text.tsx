interface CopiedTextProps {
  /** Unique on the page. */
  id: string;
  /** What the text is. */
  label: string;
  children: string;
}

/** A text to copy, as it is; the button appears where scripts run. */
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
