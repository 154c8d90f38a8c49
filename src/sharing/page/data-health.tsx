import type { ComponentChildren } from 'preact';
import { formatMicros, type Micros } from '../../common/time/clock';
import { Table } from '../../presentation/components/table';
import { Moment, Name } from '../../presentation/components/text';
import { formatCount, formatShare } from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import type { ExperimentResults } from '../../results/experiment-results';
import { hasManyCrossovers } from '../../results/experiment-warnings';
import { MISMATCH_HEADING, mismatchWords, ShareMismatch, WHOM } from '../share-mismatch';
import type { SnippetSeen } from '../share-model';
import type { Tone } from '../verdict-text';
import { ToneIcon } from './badges';

interface DataHealthProps {
  results: ExperimentResults;
  lastEventAt: Micros | null;
  /** Set on pages for members; null on shared pages. */
  snippet: SnippetSeen | null;
  /** The traffic split. */
  children?: ComponentChildren;
}

/** Whether the data can be relied on: sample ratio, crossovers, last event and snippet. */
export function DataHealth({ results, lastEventAt, snippet, children }: DataHealthProps) {
  return (
    <section class="card health" aria-labelledby="health">
      <h2 id="health">Data health</h2>
      <dl class="health-list">
        <Check title="Sample ratio" {...ratioCheck(results)} />
        <Check title="Crossovers" {...crossoverCheck(results)} />
        <div>
          <dt>Last event</dt>
          <dd>{lastEventAt === null ? 'None yet' : <Moment at={formatMicros(lastEventAt)} />}</dd>
        </div>
        {snippet !== null && (
          <div>
            <dt>Snippet last seen</dt>
            <dd>
              {snippet.at === null ? (
                <>
                  Not since <Moment at={snippet.since} />
                </>
              ) : (
                <Moment at={snippet.at} />
              )}
            </dd>
          </div>
        )}
      </dl>
      {children}
    </section>
  );
}

interface CheckWords {
  tone: Tone;
  word: string;
  detail: string;
}

function Check({ title, tone, word, detail }: CheckWords & { title: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd class={`health-check tone-${tone}`}>
        <ToneIcon tone={tone} />
        <span>
          {word}
          <span class="range">{detail}</span>
        </span>
      </dd>
    </div>
  );
}

function ratioCheck({ participants, sampleRatio }: ExperimentResults): CheckWords {
  const unchecked = (detail: string): CheckWords => ({ tone: 'nothing', word: 'Not checked yet', detail });
  if (participants === 0) {
    return unchecked('There are no participants.');
  }
  if (sampleRatio.isMismatch) {
    const detail = 'The participants are not split according to the shares.';
    return { tone: 'doubt', word: 'Mismatch', detail };
  }
  const { degreesOfFreedom, isDetectable, untested } = sampleRatio;
  const excluded = untestedWords(untested);
  const untestable = untested.depleted + untested.unknown;
  const left = untestable + untested.few;
  if (degreesOfFreedom === 0 && left === 0) {
    return unchecked('There are no shares to compare the participants with.');
  }
  if (!isDetectable) {
    return unchecked(
      untestable === 0
        ? 'There are too few participants.'
        : `Too few participants can be tested. ${excluded}`,
    );
  }
  const detail =
    left === 0
      ? 'The participants are split according to the shares.'
      : `${plural(participants - left, 'participant')} of ${formatCount(participants)} were tested, and are split according to the shares. ${excluded}`;
  return { tone: 'better', word: untestable === 0 ? 'Passed' : 'Passed in part', detail };
}

/** The reasons why participants were not tested. */
function untestedWords({ depleted, few, unknown }: ExperimentResults['sampleRatio']['untested']): string {
  const of = (count: number, reason: string): string[] =>
    count === 0 ? [] : [`${plural(count, 'participant')} cannot be tested, because ${reason}.`];
  return [
    ...of(depleted, 'the shares changed after the traffic had been below 100\u202f%'),
    ...of(few, 'too few entered between changes of the shares'),
    ...of(unknown, 'they kept a variation from an earlier phase that is unknown'),
  ].join(' ');
}

function crossoverCheck({ participants, crossovers }: ExperimentResults): CheckWords {
  const share = participants === 0 ? 0 : crossovers / participants;
  const counted = plural(crossovers, 'participant');
  return hasManyCrossovers({ participants, crossovers })
    ? { tone: 'doubt', word: `${formatShare(share)}, too many`, detail: counted }
    : { tone: 'better', word: crossovers === 0 ? 'None' : formatShare(share), detail: counted };
}

type Crossed = Pick<ExperimentResults, 'participants' | 'crossovers'>;

/** The notice about many crossovers, with the steps to take. */
export function CrossoverNotice({ participants, crossovers }: Crossed) {
  const share = participants > 0 ? ` (${formatShare(crossovers / participants)})` : '';
  return (
    <section class="notice" aria-labelledby="crossovers">
      <h2 id="crossovers">Many crossovers</h2>
      <p>
        {plural(crossovers, 'participant')} of {formatCount(participants)}
        {share} were later shown another variation. They count in their first variation, so the measured
        difference is smaller than the true one.
      </p>
      <p>
        Check that visitors keep their id: on all pages and subdomains, after signing in, and on servers that
        make decisions. Up to 1{'\u202f'}% is normal, because people delete their cookies.
      </p>
    </section>
  );
}

const COLUMNS = [
  { key: 'variation', title: 'Variation' },
  { key: 'participants', title: 'Participants', isNumeric: true },
  { key: 'share', title: 'Share', isNumeric: true },
  { key: 'expected', title: 'Expected share', isNumeric: true },
];

/** The notice about a sample ratio mismatch, with the steps to take. */
export function MismatchNotice({ mismatches }: { mismatches: readonly ShareMismatch[] }) {
  return (
    <section class="notice" aria-labelledby="mismatch">
      <h2 id="mismatch">{MISMATCH_HEADING}</h2>
      <p>
        {mismatchWords(mismatches)} This hardly ever happens by chance. More visitors are lost or counted in
        one variation than in another, and the figures below can be wrong in either direction.
      </p>
      {mismatches.map((mismatch) => (
        <Division key={mismatch.whom} {...mismatch} />
      ))}
      <ol>
        <li>Do not base decisions on these figures.</li>
        <li>
          Find the cause. Common causes are a redirect, an error in the code of one variation, slow loading,
          bots, or shares that were changed during the experiment.
        </li>
        <li>Fix the cause, then clone the experiment and start the clone.</li>
      </ol>
    </section>
  );
}

/** Actual and expected shares. */
function Division({ whom, variations }: ShareMismatch) {
  const rows = variations.map(({ id, name, participants, share, expectedShare }) => ({
    key: id,
    cells: [<Name>{name}</Name>, formatCount(participants), formatShare(share), formatShare(expectedShare)],
  }));
  return rows.length === 0 ? null : (
    <Table caption={`Shares of ${WHOM[whom]}`} columns={COLUMNS} rows={rows} form="cards" />
  );
}
