import type { ComponentChildren } from 'preact';

interface ShownOnceProps {
  /** Unique on the page. */
  id: string;
  title: ComponentChildren;
  /** The label of the secret. */
  label: string;
  secret: string;
  /** Information for readers before they leave the page. */
  children: ComponentChildren;
}

/** A secret with a copy button, which no other page shows; the button needs scripts. */
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
