import type { ComponentChildren } from 'preact';

/** A list of named settings. */
export function FactsList({ children }: { children: ComponentChildren }) {
  return <dl class="settings-list">{children}</dl>;
}

/** One setting. */
export function Setting({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
