import type { Frame } from '../../account/pages/frame';
import type { Listed } from '../../common/http/answers';
import { type Column, Table } from '../../presentation/components/table';
import { Moment, Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { formatCount } from '../../presentation/text/numbers';
import type { WebhookDeliveryRecord } from '../../webhooks/delivery.record';
import type { WebhookRecord } from '../../webhooks/webhook.record';
import { ConsolePage, webhooksPath } from '../pages/console-page';
import { FactsList, Setting } from '../pages/facts-list';
import { Pages } from '../pages/list-filter';
import {
  webhookCrumbs,
  webhookPath,
  webhooksCrumbs,
  type WebhooksSubject,
  type WebhookSubject,
} from './webhook-forms';

const COLUMNS: readonly Column[] = [
  { key: 'name', title: 'Name' },
  { key: 'host', title: 'Host' },
  { key: 'events', title: 'Events' },
  { key: 'state', title: 'State' },
];

const DELIVERY_COLUMNS: readonly Column[] = [
  { key: 'id', title: 'Delivery' },
  { key: 'event', title: 'Event' },
  { key: 'written', title: 'Written' },
  { key: 'status', title: 'Status' },
  { key: 'outcome', title: 'Last attempt' },
];

const stateOf = ({ is_active }: WebhookRecord): string => (is_active ? 'On' : 'Off');

/** The page with the webhooks of a project. */
export function renderWebhooksPage(
  frame: Frame,
  page: { subject: WebhooksSubject; webhooks: readonly WebhookRecord[]; notice: string | null },
): string {
  const { subject, webhooks, notice } = page;
  const path = webhooksPath(subject.project.id);
  const title = `Webhooks, ${subject.project.name}`;
  const rows = webhooks.map((webhook) => ({
    key: webhook.id,
    cells: [
      <a href={`${frame.base}${path}/${webhook.id}`}>
        <Name>{webhook.name}</Name>
      </a>,
      <bdi>{new URL(webhook.url).host}</bdi>,
      webhook.events.join(', '),
      stateOf(webhook),
    ],
  }));
  return renderPage(
    <ConsolePage frame={frame} title={title} crumbs={webhooksCrumbs(subject)} notice={notice}>
      <header class="team-head">
        <h1>Webhooks</h1>
        <a class="button" href={`${frame.base}${path}/add`}>
          Add a webhook
        </a>
      </header>
      {webhooks.length === 0 ? (
        <p>There are no webhooks yet. A webhook notifies another system of events in this project.</p>
      ) : (
        <section class="card">
          <Table caption="Webhooks" columns={COLUMNS} rows={rows} form="cards" />
        </section>
      )}
    </ConsolePage>,
  );
}

export interface DeliveriesPart {
  list: Listed<WebhookDeliveryRecord>;
  page: number;
  lastPage: number;
}

const ACTIONS = [
  ['edit', 'Edit'],
  ['test', 'Send a test'],
  ['rotate', 'Rotate the secret'],
  ['delete', 'Delete'],
] as const;

/** The page of a webhook with its deliveries, newest first. */
export function renderWebhookPage(
  frame: Frame,
  { subject, notice, ...part }: DeliveriesPart & { subject: WebhookSubject; notice: string | null },
): string {
  const { webhook } = subject;
  const path = `${frame.base}${webhookPath(subject)}`;
  const request = { status: null, search: '', page: part.page };
  return renderPage(
    <ConsolePage frame={frame} title={webhook.name} crumbs={webhookCrumbs(subject)} notice={notice}>
      <h1>
        <Name>{webhook.name}</Name>
      </h1>
      <section class="card stack" aria-label="Webhook">
        <FactsList>
          <Setting title="Address">
            <bdi>{webhook.url}</bdi>
          </Setting>
          <Setting title="Events">{webhook.events.join(', ')}</Setting>
          <Setting title="Format">{webhook.format}</Setting>
          <Setting title="State">{stateOf(webhook)}</Setting>
        </FactsList>
        <p class="action-links">
          {ACTIONS.map(([form, label]) => (
            <a key={form} href={`${path}/${form}`} class={form === 'delete' ? 'danger-link' : undefined}>
              {label}
            </a>
          ))}
        </p>
      </section>
      <section class="card">
        <h2>
          Deliveries <span class="count">{formatCount(part.list.total)}</span>
        </h2>
        {part.list.total === 0 ? (
          <p>This webhook has had no deliveries in the last 30 days.</p>
        ) : (
          <Table
            caption="Deliveries"
            columns={DELIVERY_COLUMNS}
            rows={part.list.rows.map((delivery) => rowOf(path, delivery))}
            form="cards"
          />
        )}
      </section>
      <Pages address={path} list={{ request, lastPage: part.lastPage }} />
    </ConsolePage>,
  );
}

function rowOf(path: string, delivery: WebhookDeliveryRecord) {
  const { id, type, created_at: at, status, tries, error, delivered_at: deliveredAt } = delivery;
  return {
    key: id,
    cells: [
      id,
      type,
      <Moment at={at} />,
      <>
        {status}
        {status === 'dead' && (
          <>
            {' '}
            <a href={`${path}/deliveries/${id}/retry`} aria-label={`Retry delivery ${id}`}>
              Retry
            </a>
          </>
        )}
      </>,
      deliveredAt === null ? (
        (error ?? (tries === 0 ? 'Not attempted yet' : ''))
      ) : (
        <Moment at={deliveredAt} />
      ),
    ],
  };
}
