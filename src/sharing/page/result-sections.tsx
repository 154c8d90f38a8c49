import type { ComponentChildren } from 'preact';
import { LegendEntry } from '../../presentation/components/legend-entry';
import { Markup } from '../../presentation/components/text';
import { Table } from '../../presentation/components/table';
import type { SeriesLook } from '../../presentation/plots/series';
import { formatCount, formatShare } from '../../presentation/text/numbers';
import type { ExperimentResults, GoalResults } from '../../results/experiment-results';
import { hasManyCrossovers } from '../../results/experiment-warnings';
import type { Method } from '../../statistics/result';
import { certaintyWords, methodOf, rangeWords } from '../certainty-words';
import { sharedQuery, filterWords, isFiltered } from '../filter';
import { type Headline, type JudgedGoal, orderedVariations } from '../headline';
import { shareMismatches } from '../share-mismatch';
import type { ShareModel, SnippetSeen } from '../share-model';
import { CrossoverNotice, DataHealth, MismatchNotice } from './data-health';
import { EntryEffects } from './entry-effects';
import { Filter } from './filter';
import { HeadlineBox } from './headline-box';
import { ResultTable } from './result-table';

const METHODS: Record<Method, { name: string; text: string }> = {
  sequential: {
    name: 'Valid on every day',
    text: 'The verdicts come from a sequential test. You can look as often as you like and stop as soon as there is a verdict.',
  },
  planned: {
    name: 'You can look every day until the planned end',
    text: 'The verdicts come from a group-sequential test with a sample size planned before the start. It looks at the results once a day and is stricter at the beginning than at the end. After the last look, new participants do not change the verdicts, but a sample ratio mismatch makes them untrustworthy.',
  },
  frequentist: {
    name: 'Decide only at the planned end',
    text: 'The verdicts come from a frequentist test, which is valid for one look. If you look every day and stop at the first verdict, you will find differences that do not exist. Days after the planned end are further looks: they can change the verdict, and do so by chance more often than the confidence suggests. Decide at the planned end.',
  },
  bayesian: {
    name: 'Decide only at the planned end',
    text: 'The verdicts come from the Bayesian chance to beat the original. It is not valid under repeated looks: if you stop at the first verdict, you are wrong more often than the confidence suggests. This also applies to days after the planned end, which can change the verdict by chance. Decide at the planned end.',
  },
};

/** Explains the terms and the figures to first-time readers. */
function Notes({ results }: { results: ExperimentResults }) {
  const method = results.goals.length === 0 ? undefined : methodOf(results);
  const certainty = certaintyWords(results);
  return (
    <section class="card notes" aria-labelledby="notes">
      <details class="printed-open">
        <summary>
          <h2 id="notes">How to read this page</h2>
        </summary>
        <dl>
          {method !== undefined && <Note title={METHODS[method].name}>{METHODS[method].text}</Note>}
          {certainty !== null && <Note title="Required confidence">{certainty.join(' ')}</Note>}
          <Note title="Ranges">{rangeWords(results).join(' ')}</Note>
          <Note title="Days to go">
            A forecast based on the results so far. It gets longer if the difference turns out to be smaller.
          </Note>
          <Note title="Participants and conversions">
            A participant is a visitor who was shown a variation. Each participant is counted once. A
            participant who then reached the goal, once or several times, counts as one conversion.
            {results.goals.some(({ metric }) => metric === 'count') &&
              ' For goals with conversions per participant, every conversion counts.'}
          </Note>
          <Note title="Crossovers">
            Participants who were later shown another variation. They are counted in their first variation.
            Many crossovers mean that visitors do not keep their variation, which reduces the measured
            difference.
          </Note>
        </dl>
      </details>
    </section>
  );
}

function Note({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const WIDTH = 160;
const HEIGHT = 14;

/** A share as a bar for a table cell. The bar needs no accessible name, because the figure is next to it. */
function ShareBar({ share, color }: { share: number; color: string }) {
  const filled = Math.round(share * WIDTH * 10) / 10;
  return (
    <svg class="bar" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      <rect y="4" width={WIDTH} height="6" rx="3" fill="var(--grid)" />
      {filled > 0 && <rect y="4" width={filled} height="6" rx={Math.min(3, filled / 2)} fill={color} />}
    </svg>
  );
}

interface ParticipantsProps {
  results: Pick<ExperimentResults, 'participants' | 'entered'>;
  variations: GoalResults['variations'];
  looks: ReadonlyMap<number, SeriesLook>;
}

/** The traffic split, which is the same for all goals. */
function Participants({ results, variations, looks }: ParticipantsProps) {
  const { participants: total, entered } = results;
  const columns = [
    { key: 'variation', title: 'Variation' },
    { key: 'participants', title: 'Participants', isNumeric: true },
    { key: 'share', title: 'Share', isNumeric: true },
  ];
  const rows = variations.map(({ id, name }) => {
    const participants = entered.get(id) ?? 0;
    const share = total === 0 ? 0 : participants / total;
    const look = looks.get(id);
    return {
      key: id,
      cells: [
        <LegendEntry name={name} look={look} />,
        formatCount(participants),
        <span class="share">
          <ShareBar share={share} color={look?.color ?? 'currentColor'} />
          {formatShare(share)}
        </span>,
      ],
    };
  });
  return (
    <div class="participants">
      <h3>Traffic split</h3>
      <Table
        caption="Participants of each variation"
        hidesCaption
        columns={columns}
        rows={rows}
        form="cards"
      />
    </div>
  );
}

interface ResultSectionsProps {
  model: ShareModel;
  /** In display order. */
  goals: readonly JudgedGoal[];
  looks: ReadonlyMap<number, SeriesLook>;
  /** The markup of each goal. */
  sections: readonly string[];
  /** Whether these are all of the experiment's goals. */
  isWhole: boolean;
  snippet: SnippetSeen | null;
}

interface ResultHeadlineProps extends Pick<ResultSectionsProps, 'model' | 'isWhole'> {
  /** Null if the page does not show a primary goal. */
  headline: Headline | null;
}

/** The answer: the headline, or the reasons not to trust it. */
export function ResultHeadline({ model, headline, isWhole }: ResultHeadlineProps) {
  const { results, filter, path } = model;
  const mismatches = shareMismatches(model);
  const crossed = [results, model.everybody].find(hasManyCrossovers);
  return (
    <>
      {!isWhole && path !== null && (
        <p class="screen-only">
          <a href={`${path}${sharedQuery(filter)}`}>All results of the experiment</a>
        </p>
      )}
      {isFiltered(filter, results.hasWindows) && (
        <p class="filtered">{filterWords(filter, results.hasWindows)}</p>
      )}
      {mismatches.length > 0 && <MismatchNotice mismatches={mismatches} />}
      <HeadlineBox headline={mismatches.length > 0 ? null : headline} results={results} />
      {crossed !== undefined && <CrossoverNotice {...crossed} />}
    </>
  );
}

/** The figures below the answer, from the filter to the notes. */
export function ResultSections({ model, goals, looks, sections, isWhole, snippet }: ResultSectionsProps) {
  const { results, filter, form, lastEventAt } = model;
  const variations = results.goals[0]?.variations ?? [];
  const order = results.goals[0] === undefined ? [] : orderedVariations(results.goals[0]).map(({ id }) => id);
  return (
    <>
      <Filter filter={filter} form={form} hasWindows={results.hasWindows} asOf={model.asOf} />
      {goals.length > 0 && <ResultTable goals={goals} order={order} looks={looks} hasPrimary={isWhole} />}
      {sections.map((html, index) => (
        <Markup key={index} html={html} />
      ))}
      {results.goals.length === 0 && <NoGoals />}
      <DataHealth results={results} lastEventAt={lastEventAt} snippet={snippet}>
        {variations.length > 0 && <Participants results={results} variations={variations} looks={looks} />}
      </DataHealth>
      {model.entries !== null && <EntryEffects {...model.entries} compared={comparedIn(variations)} />}
      <Notes results={results} />
    </>
  );
}

/** The ids of all variations except the original; empty if there is no original. */
const comparedIn = (variations: GoalResults['variations']): Set<number> =>
  new Set(
    variations.some(({ isOriginal }) => isOriginal)
      ? variations.filter(({ isOriginal }) => !isOriginal).map(({ id }) => id)
      : [],
  );

function NoGoals() {
  return (
    <section class="card">
      <h2>No goals</h2>
      <p>The experiment has participants but no goal. Attach a goal to see its full history.</p>
    </section>
  );
}
