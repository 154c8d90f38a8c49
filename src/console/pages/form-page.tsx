import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Frame } from '../../account/pages/frame';
import { Markup } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import type { ConsoleForm, FormSubject } from '../forms/console-form';
import type { FormState } from '../forms/form-state';
import { ActionForm } from './action-form';
import { ConsolePage } from './console-page';
import { Refusal } from './form-fields';

/** The page after a form whose response contains a secret. */
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

interface FormPage<S extends FormSubject> {
  form: ConsoleForm<S>;
  subject: S;
  state: FormState;
}

/** The page of a form. */
export function renderFormPage<S extends FormSubject>(frame: Frame, page: FormPage<S>): string {
  const { form, subject, state } = page;
  const title = form.title(subject);
  const labels = new Map<string, string>();
  // Rendered first, because the messages need the labels of the form's fields.
  const action = renderToString(<ActionForm id="form" frame={frame} labels={labels} {...page} />);
  const crumbs = [...form.crumbs(subject), { path: null, name: title }];
  return renderPage(
    <ConsolePage
      frame={frame}
      title={title}
      crumbs={crumbs}
      {...(state.problem !== null && { prefix: 'Error: ' })}
    >
      <h1>{title}</h1>
      <Refusal state={state} labels={labels} />
      <section class="card stack">
        <Markup html={action} />
      </section>
    </ConsolePage>,
  );
}
