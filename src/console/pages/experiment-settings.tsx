import type { ComponentChildren } from 'preact';
import { parseDay } from '../../common/time/days';
import type { ExperimentRecord } from '../../experiments/experiment.record';
import { Moment, Name, None } from '../../presentation/components/text';
import { Column, Table } from '../../presentation/components/table';
import { plainName } from '../../presentation/text/names';
import { formatLongDay } from '../../presentation/text/dates';
import { formatChange, formatCount, formatShare } from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import { filledShares } from '../../variations/variation-shares';
import { FactsList, Setting } from './facts-list';

/** The settings of an experiment. */
export function ExperimentSettings({ experiment }: { experiment: ExperimentRecord }) {
  const { traffic_allocation: traffic, audiences, pages, goals, environments, tags } = experiment;
  return (
    <section class="card stack" aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      {experiment.variations.length > 0 && <Variations experiment={experiment} />}
      <FactsList>
        <Setting title="Traffic">{formatShare(traffic / 100)} of the eligible visitors</Setting>
        <Setting title={audienceTitle(experiment)}>
          <Names items={audiences} none="Everyone" />
        </Setting>
        <Setting title="Pages">
          <Names items={pages} none="None yet" />
        </Setting>
        <Setting title="Goals (primary goal first)">
          <Names items={goals} none="None yet" />
        </Setting>
        <Setting title="Environments">
          <Names items={environments} none="None" />
        </Setting>
        <Setting title="Plan">{planWords(experiment)}</Setting>
        <Setting title="Tags">
          <Names items={tags.map((name) => ({ id: name, name }))} none="None" />
        </Setting>
        <Setting title="Example page">
          <ExternalLink address={experiment.example_url}>{experiment.example_url}</ExternalLink>
        </Setting>
        <Setting title="Experiment code">
          {codeWords([
            ['JavaScript', experiment.js],
            ['reset JavaScript', experiment.reset_js],
            ['CSS', experiment.css],
          ])}
        </Setting>
        <Setting title="Id and API name">
          {experiment.id}, <code>{experiment.api_name}</code>
        </Setting>
        <Dates experiment={experiment} />
      </FactsList>
    </section>
  );
}

const audienceTitle = ({ audiences, audiences_match_type: match }: ExperimentRecord): string =>
  audiences.length > 1 ? `Visitors in ${match} of these audiences` : 'Audience';

/** `20 000 participants, until 30 June 2026, to detect an effect of +5.0 %` */
function planWords(experiment: ExperimentRecord): string {
  const { planned_participants: participants, planned_end: end, minimum_effect: effect } = experiment;
  const parts = [
    ...(participants === null ? [] : [plural(participants, 'participant')]),
    ...(end === null ? [] : [`until ${formatLongDay(parseDay(end) ?? 0)}`]),
    ...(effect === null ? [] : [`to detect an effect of ${formatChange(effect / 100)}`]),
  ];
  return parts.length === 0 ? 'None' : parts.join(', ');
}

function Names({ items, none }: { items: readonly { id: number | string; name: string }[]; none: string }) {
  return items.length === 0 ? (
    <>{none}</>
  ) : (
    <ul>
      {items.map(({ id, name }) => (
        <li key={id}>
          <Name>{name}</Name>
        </li>
      ))}
    </ul>
  );
}

function ExternalLink({ address, children }: { address: string | null; children: ComponentChildren }) {
  return address === null ? (
    <None />
  ) : (
    <a href={address} rel="noreferrer">
      {children}
    </a>
  );
}

/** `JavaScript 120 bytes, CSS 48 bytes` */
function codeWords(parts: readonly (readonly [name: string, code: string | null])[]): string {
  const sizes = parts.flatMap(([name, code]) =>
    code === null || code === '' ? [] : [`${name} ${formatCount(Buffer.byteLength(code))} bytes`],
  );
  return sizes.length === 0 ? 'None' : sizes.join(', ');
}

function Dates({ experiment }: { experiment: ExperimentRecord }) {
  const dates = [
    ['Created', experiment.created_at],
    ['Changed', experiment.updated_at],
    ['First started', experiment.started_at],
    ['Paused', experiment.paused_at],
    ['Ended', experiment.archived_at],
  ] as const;
  return (
    <>
      {dates.map(
        ([title, at]) =>
          at !== null && (
            <Setting key={title} title={title}>
              <Moment at={at} />
            </Setting>
          ),
      )}
    </>
  );
}

const COLUMNS: readonly Column[] = [
  { key: 'name', title: 'Variation' },
  { key: 'share', title: 'Share', isNumeric: true },
  { key: 'code', title: 'Code' },
  { key: 'preview', title: 'Preview' },
];

function Variations({ experiment: { variations } }: { experiment: ExperimentRecord }) {
  const shares = filledShares(variations.map((variation) => variation.traffic_allocation));
  const rows = variations.map((variation, index) => ({
    key: variation.id,
    cells: [
      <>
        <Name>{variation.name}</Name>
        <span class="range">
          {variation.is_original ? 'The original, id' : 'Id'} {variation.id}
        </span>
      </>,
      formatShare(shares[index]),
      codeWords([
        ['JavaScript', variation.js],
        ['CSS', variation.css],
      ]),
      <ExternalLink address={variation.preview_url}>
        Open<span class="visually-hidden"> the preview of {plainName(variation.name)}</span>
      </ExternalLink>,
    ],
  }));
  return <Table caption="Variations" columns={COLUMNS} rows={rows} form="cards" />;
}
