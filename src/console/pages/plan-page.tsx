import { renderToString } from 'preact-render-to-string';
import type { Frame } from '../../account/pages/frame';
import { Markup, Name } from '../../presentation/components/text';
import { Table } from '../../presentation/components/table';
import { renderPage } from '../../presentation/layout';
import {
  formatCertainty,
  formatChange,
  formatCount,
  formatExactChange,
  formatPercent,
  formatValue,
} from '../../presentation/text/numbers';
import { listed } from '../../common/text/strings';
import { plural } from '../../presentation/text/words';
import { MAX_PLANNED } from '../../experiments/experiment-descriptions';
import { DEFAULT_POWER, type PlanRecord } from '../../experiments/planning/plan.record';
import { STATISTICS_METHODS } from '../../projects/project.entity';
import type { ProjectRecord } from '../../projects/project.record';
import type { FilledForm } from '../forms/console-form';
import type { PlanForm } from '../plan-form';
import { ConsolePage, experimentPagePath, projectPath } from './console-page';
import { MAX_OFFERED } from '../project-forms/project-subject';
import { FactsList, Setting } from './facts-list';
import { Choices, Refusal, Select, type SelectOption, TextInput } from './form-fields';

export interface PlanPage {
  project: ProjectRecord;
  /** Goals whose results can provide the baseline. */
  goals: readonly SelectOption[];
  form: PlanForm;
  /** Null for an empty form or a form with errors. */
  plan: PlanRecord | null;
}

/** The page that plans the sample size of an experiment. The URL contains the whole state of the page. */
export function renderPlanPage(frame: Frame, { project, goals, form, plan }: PlanPage): string {
  const path = projectPath(project.id);
  const crumbs = [
    { path, name: project.name },
    { path: `${path}/plan`, name: 'Plan an experiment' },
  ];
  const labels = new Map<string, string>();
  // Rendered first, because the messages need the labels of the form's fields.
  const fields = renderToString(
    <Form project={project} goals={goals} form={filled(project, form, labels)} />,
  );
  const problem = Object.keys(form.errors).length > 0 ? 'The plan cannot be calculated.' : null;
  return renderPage(
    <ConsolePage
      frame={frame}
      title={`Plan an experiment, ${project.name}`}
      crumbs={crumbs}
      {...(problem !== null && { prefix: 'Error: ' })}
    >
      <header class="masthead">
        <h1>Plan an experiment</h1>
        <p class="description">
          How many participants does an experiment in <Name>{project.name}</Name> need to detect an effect?
          This page stores nothing.
        </p>
      </header>
      <Refusal state={{ problem, errors: form.errors, submitted: form.values }} labels={labels} />
      {plan !== null && <Answer base={frame.base} project={project} plan={plan} />}
      <Markup html={fields} />
    </ConsolePage>,
  );
}

function filled(
  project: ProjectRecord,
  { values, errors }: PlanForm,
  labels: Map<string, string>,
): FilledForm {
  const shown = { ...values, method: values.method === '' ? project.statistics_method : values.method };
  return { values: shown, current: shown, errors, isStale: false, replaced: [], labels };
}

type QuestionProps = Pick<PlanPage, 'project' | 'goals'> & { form: FilledForm };

function Form(props: QuestionProps) {
  const { form } = props;
  return (
    <section class="card stack" aria-labelledby="question">
      <h2 id="question">What should the experiment detect?</h2>
      <form class="form" method="get">
        <BaselineFields {...props} />
        <TrafficFields {...props} />
        <CertaintyFields {...props} />
        <Choices
          form={form}
          name="method"
          label="Method"
          options={STATISTICS_METHODS.map((method) => ({ value: method, label: METHODS[method] }))}
        />
        <p class="actions">
          <button class="button" type="submit">
            Calculate
          </button>
        </p>
      </form>
    </section>
  );
}

/** The fields for the current results of the original, and for the change worth detecting. */
function BaselineFields({ goals, form }: QuestionProps) {
  const hasGoals = goals.length > 0;
  return (
    <>
      {hasGoals && <GoalSelect form={form} goals={goals} />}
      <TextInput
        form={form}
        name="baseline_rate"
        inputmode="decimal"
        label="Conversion rate of the original (%)"
        hint={`For goals without a value.${hasGoals ? ' Enter a rate or choose a goal, not both.' : ''}`}
      />
      <TextInput
        form={form}
        name="baseline_mean"
        inputmode="decimal"
        label="Value per participant in the original"
        hint="For goals with a value, instead of a rate: the sum of all values divided by the number of participants, including those without a conversion."
      />
      <TextInput
        form={form}
        name="baseline_sd"
        inputmode="decimal"
        label="Standard deviation of this value"
        hint="How much the participants’ totals vary, including totals of 0. Often several times the value per participant."
      />
      <TextInput
        form={form}
        name="minimum_effect"
        inputmode="decimal"
        label="Smallest relative effect worth detecting (%)"
        hint="10 is a change from 4 % to 4.4 %, and −10 from 4 % to 3.6 %."
      />
    </>
  );
}

/** The fields for the number of visitors who take part, and for the number of variations. */
function TrafficFields({ goals, form }: QuestionProps) {
  const hasGoals = goals.length > 0;
  return (
    <>
      <TextInput
        form={form}
        name="variations"
        inputmode="decimal"
        label="Variations, including the original (optional)"
        hint="All variations get equal shares. The default is 2."
      />
      <TextInput
        form={form}
        name="shares"
        label="Unequal shares (optional)"
        hint="Instead of the number of variations, with the original first: 80 / 20, or 50 / 25 / 25."
      />
      <TextInput
        form={form}
        name="daily_visitors"
        inputmode="decimal"
        label="Participants per day (optional)"
        hint={`Across all variations. Required to compute the number of days.${hasGoals ? ' If you choose a goal, the default comes from the experiment whose results are used.' : ''}`}
      />
    </>
  );
}

/** The fields for the required certainty of the result. */
function CertaintyFields({ project, form }: QuestionProps) {
  return (
    <>
      <TextInput
        form={form}
        name="power"
        inputmode="decimal"
        label="Statistical power in % (optional)"
        hint={`The chance of detecting this effect. The default is ${DEFAULT_POWER}.`}
      />
      <TextInput
        form={form}
        name="significance"
        inputmode="decimal"
        label="Required confidence in % (optional)"
        hint={`The default is ${project.significance}.`}
      />
    </>
  );
}

function GoalSelect({ form, goals }: { form: FilledForm; goals: readonly SelectOption[] }) {
  const isCut = goals.length === MAX_OFFERED;
  return (
    <Select
      form={form}
      name="goal_id"
      label="Goal (optional)"
      hint={`Uses the rate or value from the last 28 days of the experiment with this goal that had the most participants.${isCut ? ` Only the first ${MAX_OFFERED} goals by name are listed.` : ''}`}
      options={[{ value: '', label: 'None' }, ...goals]}
    />
  );
}

const METHODS: Record<ProjectRecord['statistics_method'], string> = {
  sequential: 'Sequential: look every day',
  planned: 'Planned: look every day until the planned sample size is reached',
  frequentist: 'Frequentist: look once, at the end',
  bayesian: 'Bayesian: look once, at the end',
};

/** `1 094 in each variation`, or `800 in the original, and 200 in the variation,`. */
function sizesOf({ per_variation: [original, ...others] }: PlanRecord): string {
  if (others.every((count) => count === original)) {
    return `${formatCount(original)} in each variation`;
  }
  const where = others.length === 1 ? 'in the variation' : 'in the variations';
  return `${formatCount(original)} in the original, and ${listed(others.map(formatCount))} ${where},`;
}

interface AnswerProps {
  /** The public path of the server. */
  base: string;
  project: ProjectRecord;
  plan: PlanRecord;
}

function Answer({ base, project, plan }: AnswerProps) {
  return (
    <section class="card stack" aria-labelledby="plan">
      <h2 id="plan">
        {plural(plan.participants, 'participant')}
        {plan.days === null ? '' : `, ${plural(plan.days, 'day')}`}
      </h2>
      <p>
        {sizesOf(plan)} detect an effect of {formatExactChange(plan.minimum_effect / 100)} with{' '}
        {formatCertainty(plan.power / 100)} power at {formatCertainty(plan.significance / 100)} required
        confidence.
      </p>
      {plan.minimum_detectable_effect.length > 0 && <Effects plan={plan} />}
      <FactsList>
        <Baseline base={base} project={project} plan={plan} />
        <Setting title="To use this plan">
          <Use participants={plan.participants} />
        </Setting>
      </FactsList>
    </section>
  );
}

function Use({ participants }: Pick<PlanRecord, 'participants'>) {
  return participants > MAX_PLANNED ? (
    <>A plan has at most {formatCount(MAX_PLANNED)} participants. Choose a larger effect.</>
  ) : (
    <>
      Edit the experiment before its first start, and enter {formatCount(participants)} planned participants.
      Through the API: <code>{JSON.stringify({ planned_participants: participants })}</code>.
    </>
  );
}

/** Says where the baseline comes from, unless the user entered it. */
function Baseline({ base, project, plan: { baseline } }: AnswerProps) {
  const { conversion_rate: rate, mean, participants, experiment_id: experiment } = baseline;
  if (participants === null || experiment === null) {
    return null;
  }
  return (
    <Setting title="Baseline">
      {rate === null ? `${formatValue(mean ?? 0)} per participant, from` : `${formatPercent(rate / 100)} of`}{' '}
      {plural(participants, 'participant')} in the original of{' '}
      <a href={`${base}${experimentPagePath(project.id, experiment)}`}>experiment {experiment}</a>, who
      entered in the last 28 days
    </Setting>
  );
}

function Effects({ plan }: { plan: PlanRecord }) {
  return (
    <Table
      caption="Smallest detectable effect"
      columns={[
        { key: 'day', title: 'After' },
        { key: 'effect', title: 'Effect', isNumeric: true },
      ]}
      rows={plan.minimum_detectable_effect.map(({ day, effect }) => ({
        key: day,
        cells: [plural(day, 'day'), effect === null ? 'None' : formatChange(effect / 100)],
      }))}
    />
  );
}
