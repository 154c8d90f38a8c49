import type { ComponentChildren } from 'preact';
import type { Frame } from '../../account/pages/frame';
import { Table } from '../../presentation/components/table';
import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import {
  formatCertainty,
  formatChange,
  formatCount,
  formatPercent,
  formatValue,
} from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import { DEFAULT_POWER } from '../../planning/plan.dto';
import type { PlanRecord } from '../../planning/plan.record';
import { STATISTICS_METHODS } from '../../projects/project.entity';
import type { ProjectRecord } from '../../projects/project.record';
import type { PlanField, PlanForm } from '../plan-form';
import { ConsolePage, experimentPagePath, projectPath } from './console-page';
import { MAX_OFFERED } from '../project-forms/project-subject';
import { FactsList, Setting } from './facts-list';
import type { SelectOption } from './form-fields';

export interface PlanPage {
  project: ProjectRecord;
  /** Goals whose results may be the baseline. */
  goals: readonly SelectOption[];
  form: PlanForm;
  /** Null for an empty form and for one with errors. */
  plan: PlanRecord | null;
}

/** The page that plans the sample size of an experiment. Its whole state is in the URL. */
export function renderPlanPage(frame: Frame, { project, goals, form, plan }: PlanPage): string {
  const path = projectPath(project.id);
  const crumbs = [
    { path, name: project.name },
    { path: `${path}/plan`, name: 'Plan an experiment' },
  ];
  return renderPage(
    <ConsolePage frame={frame} title={`Plan an experiment, ${project.name}`} crumbs={crumbs}>
      <header class="masthead">
        <h1>Plan an experiment</h1>
        <p class="description">
          How many participants does an experiment of <Name>{project.name}</Name> need to detect an effect?
          Nothing is stored.
        </p>
      </header>
      {plan !== null && <Answer project={project} plan={plan} />}
      <Form project={project} goals={goals} form={form} />
    </ConsolePage>,
  );
}

function Form({ project, goals, form }: Omit<PlanPage, 'plan'>) {
  const hasGoals = goals.length > 0;
  return (
    <section class="card stack" aria-labelledby="question">
      <h2 id="question">What should it detect?</h2>
      <form class="form" method="get">
        {hasGoals && <GoalSelect form={form} goals={goals} />}
        <TextInput
          form={form}
          name="baseline_rate"
          label="Conversion rate of the original, in percent"
          {...(hasGoals && { hint: 'Instead of a goal.' })}
        />
        <TextInput
          form={form}
          name="minimum_effect"
          label={`Smallest effect worth detecting, in percent of that rate${hasGoals ? ' or value' : ''}`}
          hint="10 is a change from 4 % to 4.4 %, and −10 from 4 % to 3.6 %."
        />
        <TextInput form={form} name="variations" label="Variations, with the original" />
        <TextInput
          form={form}
          name="daily_visitors"
          label="Participants a day (optional)"
          hint={`In all variations together. Needed for the number of days.${hasGoals ? ' With a goal, by default those of the experiment that is read.' : ''}`}
        />
        <TextInput
          form={form}
          name="power"
          label="Chance to detect that effect, in percent (optional)"
          hint={`${DEFAULT_POWER} unless you enter another.`}
        />
        <TextInput
          form={form}
          name="significance"
          label="Required confidence, in percent (optional)"
          hint={`${project.significance} unless you enter another.`}
        />
        <Method project={project} form={form} />
        <p class="actions">
          <button class="button" type="submit">
            Calculate
          </button>
        </p>
      </form>
    </section>
  );
}

interface FieldProps {
  form: PlanForm;
  name: PlanField;
  label: string;
  hint?: string;
}

function TextInput(field: FieldProps) {
  const { form, name } = field;
  return (
    <Field {...field}>
      <input
        type="text"
        inputmode="decimal"
        id={name}
        name={name}
        value={form.values[name]}
        {...describedBy(field)}
      />
    </Field>
  );
}

function GoalSelect({ form, goals }: Pick<PlanPage, 'form' | 'goals'>) {
  const isCut = goals.length === MAX_OFFERED;
  const field: FieldProps = {
    form,
    name: 'goal_id',
    label: 'Goal (optional)',
    hint: `Reads the rate or value from the results of the last 28 days.${isCut ? ` The first ${MAX_OFFERED} goals by name.` : ''}`,
  };
  return (
    <Field {...field}>
      <select id="goal_id" name="goal_id" {...describedBy(field)}>
        <option value="">None</option>
        {goals.map(({ value, label }) => (
          <option key={value} value={value} selected={form.values.goal_id === value} dir="auto">
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}

function describedBy({ form, name, hint }: FieldProps) {
  const hasError = form.errors[name] !== undefined;
  const described = [hint !== undefined && `${name}-hint`, hasError && `${name}-error`].filter(Boolean);
  return {
    ...(hasError && { 'aria-invalid': 'true' as const }),
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
  };
}

function Field({ form, name, label, hint, children }: FieldProps & { children: ComponentChildren }) {
  const error = form.errors[name];
  return (
    <p class="field">
      <label for={name}>{label}</label>
      {children}
      {hint !== undefined && (
        <span class="small muted" id={`${name}-hint`}>
          {hint}
        </span>
      )}
      {error !== undefined && (
        <span class="error" id={`${name}-error`}>
          {error}
        </span>
      )}
    </p>
  );
}

const METHODS: Record<ProjectRecord['statistics_method'], string> = {
  sequential: 'Sequential: look every day',
  planned: 'Planned: look every day until the planned sample',
  frequentist: 'Frequentist: look once, at the end',
  bayesian: 'Bayesian: look once, at the end',
};

function Method({ project, form }: Pick<PlanPage, 'project' | 'form'>) {
  const chosen = form.values.method === '' ? project.statistics_method : form.values.method;
  return (
    <fieldset class="field">
      <legend>Method</legend>
      <div class="choices">
        {STATISTICS_METHODS.map((method) => (
          <label class="choice" key={method}>
            <input type="radio" name="method" value={method} checked={method === chosen} />
            {METHODS[method]}
          </label>
        ))}
      </div>
      {form.errors.method !== undefined && <span class="error">{form.errors.method}</span>}
    </fieldset>
  );
}

function Answer({ project, plan }: { project: ProjectRecord; plan: PlanRecord }) {
  const [each] = plan.per_variation;
  return (
    <section class="card stack" aria-labelledby="plan">
      <h2 id="plan">
        {plural(plan.participants, 'participant')}
        {plan.days === null ? '' : `, ${plural(plan.days, 'day')}`}
      </h2>
      <p>
        {formatCount(each)} in each variation detect an effect of {formatChange(plan.minimum_effect / 100)}{' '}
        with a chance of {formatCertainty(plan.power / 100)}, at {formatCertainty(plan.significance / 100)}{' '}
        required confidence.
      </p>
      {plan.minimum_detectable_effect.length > 0 && <Effects plan={plan} />}
      <FactsList>
        <Baseline project={project} plan={plan} />
        <Setting title="To use this plan">
          Update the experiment over the API with{' '}
          <code>{JSON.stringify({ planned_participants: plan.participants })}</code> before its first start.
        </Setting>
      </FactsList>
    </section>
  );
}

/** Where the baseline was read; nothing if it was entered. */
function Baseline({ project, plan: { baseline } }: { project: ProjectRecord; plan: PlanRecord }) {
  const { conversion_rate: rate, mean, participants, experiment_id: experiment } = baseline;
  if (participants === null || experiment === null) {
    return null;
  }
  return (
    <Setting title="Baseline">
      {rate === null ? `${formatValue(mean ?? 0)} per participant, of` : `${formatPercent(rate / 100)} of`}{' '}
      {plural(participants, 'participant')} of the original of{' '}
      <a href={experimentPagePath(project.id, experiment)}>experiment {experiment}</a>, who entered in the
      last 28 days
    </Setting>
  );
}

function Effects({ plan }: { plan: PlanRecord }) {
  return (
    <Table
      caption="Smallest effect that is detected"
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
