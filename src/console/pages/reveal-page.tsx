import type { ComponentChildren } from 'preact';
import type { Frame } from '../../account/pages/frame';
import { renderPage } from '../../presentation/layout';
import type { ConsoleForm, FormSubject } from '../forms/console-form';
import { ConsolePage } from './console-page';

/** The page after a form whose response has a secret. */
export function renderRevealPage<S extends FormSubject>(
  frame: Frame,
  { form, subject, children }: { form: ConsoleForm<S>; subject: S; children: ComponentChildren },
): string {
  const title = form.title(subject);
  const crumbs = form.crumbs(subject);
  const back = crumbs.at(-1);
  return renderPage(
    <ConsolePage frame={frame} title={title} crumbs={crumbs}>
      <h1>{title}</h1>
      {children}
      <p>
        <a class="link-button" href={`${frame.base}${back?.path ?? '/'}`}>
          Done
        </a>
      </p>
    </ConsolePage>,
  );
}
