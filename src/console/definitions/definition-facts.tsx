import type { AudienceRecord } from '../../resources/audiences/audience.record';
import type { EnvironmentRecord } from '../../resources/environments/environment.record';
import { BUCKETS, bucketsIn } from '../../experiments/exclusion/bucket-ranges';
import type { Holder } from '../../experiments/exclusion/exclusion-range.store';
import { effectiveCode } from '../../resources/environments/environment-code';
import type { GoalRecord } from '../../resources/goals/goal.record';
import { impossibleConditions } from '../../resources/pages/impossible-conditions';
import type { PageRecord } from '../../resources/pages/page.record';
import { Name } from '../../presentation/components/text';
import { formatExactShare, formatExactValue } from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import { Setting } from '../pages/facts-list';
import { audienceWords, type ConditionNode, pageWords } from './condition-words';
import type { PageGoal } from './definition-uses.store';
import type { DefinitionKind, DefinitionRecord } from './definitions';

/** Goal types, as pages name them. */
export const GOAL_TYPES: Readonly<Record<GoalRecord['type'], string>> = {
  custom: 'Custom event from your site or back end',
  pageview: 'Page view',
  click: 'Click on an element',
};

interface FactsProps {
  kind: DefinitionKind;
  record: DefinitionRecord;
  /** The experiments with shares of the definition, if it is an exclusion group. */
  holders: readonly Holder[];
  /** The names of goals' pages, by page id. */
  pageNames: ReadonlyMap<number, string>;
  /** The goals that count views of the definition, if it is a page. */
  pageGoals: readonly PageGoal[];
}

/** The fields of a definition, according to its kind. */
export function Facts({ kind, record, holders, pageNames, pageGoals }: FactsProps) {
  switch (kind) {
    case 'goals':
      return <GoalFacts goal={record as GoalRecord} pageNames={pageNames} />;
    case 'pages':
      return <PageFacts page={record as PageRecord} pageGoals={pageGoals} />;
    case 'audiences':
      return <AudienceFacts audience={record as AudienceRecord} />;
    case 'exclusion_groups':
      return <GroupFacts holders={holders} />;
    case 'environments':
      return <EnvironmentFacts environment={record as EnvironmentRecord} />;
  }
}

/** How an exclusion group's visitors are split between experiments. An experiment gets its share when it starts. */
function GroupFacts({ holders }: Pick<FactsProps, 'holders'>) {
  const shares = holders.map((holder) => ({ ...holder, share: bucketsIn(holder.ranges) / BUCKETS }));
  const free = BUCKETS - holders.reduce((sum, { ranges }) => sum + bucketsIn(ranges), 0);
  return (
    <>
      <Setting title="Free">{formatExactShare(free / BUCKETS)} of the visitors</Setting>
      {shares.length > 0 && (
        <Setting title="Taken">
          <ul>
            {shares.map(({ id, name, share }) => (
              <li key={id}>
                <Name>{name}</Name>: {formatExactShare(share)}
              </li>
            ))}
          </ul>
        </Setting>
      )}
    </>
  );
}

const VALUES: Record<GoalRecord['value_type'], string> = {
  none: 'None',
  number: 'A number',
  revenue: 'Revenue',
};

function GoalFacts({ goal, pageNames }: Pick<FactsProps, 'pageNames'> & { goal: GoalRecord }) {
  const { selector, page_id, conversion_window_days: days, value_cap: cap } = goal;
  return (
    <>
      <Setting title="Type">{GOAL_TYPES[goal.type]}</Setting>
      {selector !== null && (
        <Setting title="Element">
          <code dir="ltr">{selector}</code>
        </Setting>
      )}
      {page_id !== null && (
        <Setting title="Page">
          <a href="?kind=pages">
            <Name>{pageNames.get(page_id) ?? String(page_id)}</Name>
          </a>
        </Setting>
      )}
      <Setting title="An improvement is">
        {goal.direction === 'increase' ? 'An increase' : 'A decrease'}
      </Setting>
      <Setting title="Counts">
        {goal.counting === 'unique' ? 'Participants who convert' : 'Every conversion'}
        {goal.trusted_only && ', only if sent from your back end with an API token'}
      </Setting>
      <Setting title="Value">
        {VALUES[goal.value_type]}
        {cap !== null && `, at most ${formatExactValue(cap)} per participant`}
      </Setting>
      {days !== null && <Setting title="Conversion window">{plural(days, 'day')}</Setting>}
    </>
  );
}

const ACTIVATIONS: Record<PageRecord['activation'], string> = {
  immediate: 'Immediately',
  manual: 'When the site activates the page',
  dom_change: 'When the document changes',
  url_change: 'When the URL changes',
};

function PageFacts({ page, pageGoals }: Pick<FactsProps, 'pageGoals'> & { page: PageRecord }) {
  const sets = pageWords(page.conditions);
  const warnings = impossibleConditions(page.conditions);
  return (
    <>
      <Setting title="URLs">
        {sets.length === 0 ? 'Every page' : sets.map((set) => <Condition key={set.words} node={set} />)}
      </Setting>
      {warnings.length > 0 && (
        <Setting title="Warning">
          {warnings.map((warning) => (
            <p key={warning}>
              <Name>{warning}</Name>
            </p>
          ))}
        </Setting>
      )}
      <Setting title="Activation">{ACTIVATIONS[page.activation]}</Setting>
      {pageGoals.length > 0 && (
        <Setting title="Views counted by">
          <ul>
            {pageGoals.map(({ id, name }) => (
              <li key={id}>
                <a href="?kind=goals">
                  <Name>{name}</Name>
                </a>
              </li>
            ))}
          </ul>
        </Setting>
      )}
    </>
  );
}

function AudienceFacts({ audience }: { audience: AudienceRecord }) {
  const node = audienceWords(audience.conditions);
  return <Setting title="Visitors">{node === null ? 'Everyone' : <Condition node={node} />}</Setting>;
}

/** A human-readable condition; nested conditions become nested lists. */
function Condition({ node }: { node: ConditionNode }) {
  return 'parts' in node ? (
    <>
      {node.words}
      <ul class="conditions">
        {node.parts.map((part, index) => (
          <li key={index}>
            <Condition node={part} />
          </li>
        ))}
      </ul>
    </>
  ) : (
    <>
      {node.words}{' '}
      {node.values.map((value, index) => (
        <>
          {index > 0 && ', '}
          <code dir="ltr">{value}</code>
        </>
      ))}
    </>
  );
}

function EnvironmentFacts({ environment: { is_default, code } }: { environment: EnvironmentRecord }) {
  return (
    <>
      {is_default && <Setting title="Default">New experiments use this environment</Setting>}
      <Setting title="Applies if this returns true">
        <pre class="code" dir="ltr">
          <code>{effectiveCode(code)}</code>
        </pre>
      </Setting>
    </>
  );
}
