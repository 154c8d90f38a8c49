import type { ComponentChildren } from 'preact';

interface CopiedTextProps {
  /** Unique on the page. */
  id: string;
  /** The label for the text. */
  label: string;
  children: string;
}

/** Text with a copy button. The button requires JavaScript. */
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

interface ShownOnceProps {
  /** Unique on the page. */
  id: string;
  title: ComponentChildren;
  /** The label for the secret. */
  label: string;
  secret: string;
  /** What users should know before they leave the page. */
  children: ComponentChildren;
}

/** A secret that no other page shows, with a copy button. The button requires JavaScript. */
export function ShownOnce({ id, title, label, secret, children }: ShownOnceProps) {
  return (
    <section class="card shown-once" aria-labelledby={`${id}-title`} data-shown-once>
      <h2 id={`${id}-title`}>{title}</h2>
      <p>{children}</p>
      <div class="field">
        <label for={id}>{label}</label>
        <div class="copied">
          <input type="text" id={id} value={secret} readonly autocomplete="off" spellcheck={false} />
          <button class="button" type="button" data-copies={id} data-says={`${id}-status`} hidden>
            Copy
          </button>
        </div>
        <span class="small muted" id={`${id}-status`} role="status" />
      </div>
    </section>
  );
}
