import type { ComponentChildren } from 'preact';

/** Settings with their names. */
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
