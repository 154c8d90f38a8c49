import type { FormFields } from '../../common/http/json-body';
import { Name } from '../../presentation/components/text';
import type { ProjectRecord } from '../../projects/project.record';
import type { WebhookDeliveryRecord } from '../../webhooks/delivery.record';
import { TEST_EVENT } from '../../webhooks/outbox';
import { WEBHOOK_EVENTS } from '../../webhooks/webhook-events';
import type { WebhookRecord } from '../../webhooks/webhook.record';
import type { ApiAnswer } from '../forms/api-calls';
import type { ConsoleForm, FilledForm, FormSubject } from '../forms/console-form';
import { linesOf } from '../../presentation/text/form-text';
import { type Crumb, projectPath, webhooksPath } from '../pages/console-page';
import { Choices, TextArea, TextInput } from '../pages/form-fields';

/** A secret with a copy button. No other page shows the secret. */
function WebhookSecret({ secret }: { secret: string }) {
  return (
    <section class="card new-token" aria-labelledby="secret-title" data-shown-once>
      <h2 id="secret-title">Copy the secret now</h2>
      <p>The secret is shown only once. The receiver needs it to verify messages.</p>
      <div class="field">
        <label for="secret">Secret</label>
        <div class="copied">
          <input type="text" id="secret" value={secret} readonly autocomplete="off" spellcheck={false} />
          <button class="button" type="button" data-copies="secret" data-says="copy-status" hidden>
            Copy
          </button>
        </div>
        <span class="small muted" id="copy-status" role="status" />
      </div>
    </section>
  );
}

/** The project of a webhook form. */
export interface WebhooksSubject extends FormSubject {
  project: ProjectRecord;
}

/** A webhook of the project. */
export interface WebhookSubject extends WebhooksSubject {
  webhook: WebhookRecord;
  etag: string;
}

export interface DeliverySubject extends WebhookSubject {
  delivery: WebhookDeliveryRecord;
}

/** The path of a webhook's page and of its forms. */
export const webhookPath = ({ project, webhook }: WebhookSubject, form = ''): string =>
  `${webhooksPath(project.id)}/${webhook.id}${form}`;

export const webhooksCrumbs = ({ project }: WebhooksSubject): Crumb[] => [
  { path: projectPath(project.id), name: project.name },
  { path: webhooksPath(project.id), name: 'Webhooks' },
];

export const webhookCrumbs = (subject: WebhookSubject): Crumb[] => [
  ...webhooksCrumbs(subject),
  { path: webhookPath(subject), name: subject.webhook.name },
];

const apiPath = (subject: WebhookSubject, action = ''): string => `/api${webhookPath(subject, action)}`;

const FORMATS = [
  { value: 'json', label: 'JSON: the event' },
  { value: 'slack', label: 'Slack: one line of text' },
];

const STATES = [
  { value: 'true', label: 'On' },
  { value: 'false', label: 'Off: no new deliveries; pending deliveries are kept' },
];

function Fields({ form }: { form: FilledForm }) {
  return (
    <>
      <TextInput form={form} name="name" label="Name" />
      <TextInput
        form={form}
        name="url"
        label="Address"
        hint="An https URL. The audit log records only its host."
      />
      <TextArea
        form={form}
        name="events"
        label="Events"
        rows={WEBHOOK_EVENTS.length}
        hint={`One per line. Available: ${WEBHOOK_EVENTS.join(', ')}.`}
      />
      <Choices form={form} name="format" label="Format" options={FORMATS} />
      <Choices form={form} name="is_active" label="State" options={STATES} />
    </>
  );
}

const bodyOf = ({ name = '', url = '', events, format, is_active }: FormFields): object => ({
  name,
  url,
  events: linesOf(events),
  format,
  is_active: is_active === 'true',
});

const revealed = ({ body }: ApiAnswer) => {
  const { secret } = body as { secret: string | null };
  return secret === null ? null : <WebhookSecret secret={secret} />;
};

export const ADD_WEBHOOK: ConsoleForm<WebhooksSubject> = {
  path: ({ project }) => `${webhooksPath(project.id)}/add`,
  crumbs: webhooksCrumbs,
  title: () => 'Add a webhook',
  permission: () => 'project:settings',
  values: () => ({
    name: '',
    url: '',
    events: WEBHOOK_EVENTS.join('\n'),
    format: 'json',
    is_active: 'true',
  }),
  Body: Fields,
  button: () => 'Add webhook',
  call: ({ project }, values) => ({
    method: 'POST',
    path: `/api${webhooksPath(project.id)}`,
    body: bodyOf(values),
  }),
  reveal: (_, answer) => revealed(answer),
  done: ({ project }) => ({ path: webhooksPath(project.id), notice: 'saved' }),
};

export const EDIT_WEBHOOK: ConsoleForm<WebhookSubject> = {
  path: (subject) => webhookPath(subject, '/edit'),
  crumbs: webhookCrumbs,
  title: () => 'Edit the webhook',
  permission: () => 'project:settings',
  etag: ({ etag }) => etag,
  values: ({ webhook: { name, url, events, format, is_active } }) => ({
    name,
    url,
    events: events.join('\n'),
    format,
    is_active: String(is_active),
  }),
  Body: Fields,
  button: () => 'Save',
  call: (subject, values) => ({ method: 'PATCH', path: apiPath(subject), body: bodyOf(values) }),
  done: (subject) => ({ path: webhookPath(subject), notice: 'saved' }),
};

export const ROTATE_WEBHOOK: ConsoleForm<WebhookSubject> = {
  path: (subject) => webhookPath(subject, '/rotate'),
  crumbs: webhookCrumbs,
  title: () => 'Rotate the secret?',
  permission: () => 'project:settings',
  etag: ({ etag }) => etag,
  values: () => ({}),
  Body: () => (
    <p>The next page shows the new secret once. For 24 hours, messages are signed with both secrets.</p>
  ),
  button: () => 'Rotate secret',
  call: (subject) => ({ method: 'POST', path: apiPath(subject, '/rotate') }),
  reveal: (_, answer) => revealed(answer),
  done: (subject) => ({ path: webhookPath(subject), notice: 'saved' }),
};

export const TEST_WEBHOOK: ConsoleForm<WebhookSubject> = {
  path: (subject) => webhookPath(subject, '/test'),
  crumbs: webhookCrumbs,
  title: () => 'Send a test?',
  permission: () => 'project:settings',
  values: () => ({}),
  Body: () => (
    <p>A test message is sent within seconds, without retries. The delivery list shows the outcome.</p>
  ),
  button: () => 'Send a test',
  call: (subject) => ({ method: 'POST', path: apiPath(subject, '/test') }),
  done: (subject) => ({ path: webhookPath(subject), notice: 'webhookTested' }),
};

export const DELETE_WEBHOOK: ConsoleForm<WebhookSubject> = {
  path: (subject) => webhookPath(subject, '/delete'),
  crumbs: webhookCrumbs,
  title: () => 'Delete the webhook?',
  permission: () => 'project:settings',
  etag: ({ etag }) => etag,
  values: () => ({}),
  Body: ({ subject: { webhook } }) => (
    <p>
      <Name>{webhook.name}</Name> is deleted with its deliveries, including pending ones. This cannot be
      undone.
    </p>
  ),
  button: () => 'Delete',
  isDanger: true,
  call: (subject) => ({ method: 'DELETE', path: apiPath(subject) }),
  done: ({ project }) => ({ path: webhooksPath(project.id), notice: 'webhookDeleted' }),
};

/** Whether the message waits until the webhook is turned on. Tests do not wait. */
const isHeld = ({ webhook, delivery }: DeliverySubject): boolean =>
  !webhook.is_active && delivery.type !== TEST_EVENT;

function retryText(subject: DeliverySubject): string {
  if (subject.delivery.type === TEST_EVENT) {
    return 'The test message is sent within seconds, without retries.';
  }
  return isHeld(subject)
    ? 'The webhook is off. The message is sent once the webhook is turned on, and has the full number of retries again.'
    : 'The message is sent within seconds and has the full number of retries again.';
}

export const RETRY_DELIVERY: ConsoleForm<DeliverySubject> = {
  path: (subject) => webhookPath(subject, `/deliveries/${subject.delivery.id}/retry`),
  crumbs: webhookCrumbs,
  title: ({ delivery }) => `Retry delivery ${delivery.id}?`,
  permission: () => 'project:settings',
  values: () => ({}),
  Body: ({ subject }) => <p>{retryText(subject)}</p>,
  button: () => 'Retry',
  call: (subject) => ({
    method: 'POST',
    path: apiPath(subject, `/deliveries/${subject.delivery.id}/retry`),
  }),
  done: (subject) => ({
    path: webhookPath(subject),
    notice: isHeld(subject) ? 'webhookRetriedLater' : 'webhookRetried',
  }),
};
