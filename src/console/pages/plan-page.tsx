import type { Frame } from '../../account/pages/frame';
import { Table } from '../../presentation/components/table';
import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { formatCertainty, formatChange, formatCount } from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import type { PlanRecord } from '../../planning/plan.record';
import { STATISTICS_METHODS } from '../../projects/project.entity';
import type { ProjectRecord } from '../../projects/project.record';
import type { PlanField, PlanForm } from '../plan-form';
import { ConsolePage, projectPath } from './console-page';
import { FactsList, Setting } from './facts-list';

export interface PlanPage {
  project: ProjectRecord;
  form: PlanForm;
  /** Null for an empty form and for one with errors. */
  plan: PlanRecord | null;
}

/** The page that plans the sample size of an experiment. Its whole state is in the URL. */
export function renderPlanPage(frame: Frame, { project, form, plan }: PlanPage): string {
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
      {plan !== null && <Answer plan={plan} />}
      <Form project={project} form={form} />
    </ConsolePage>,
  );
}

function Form({ project, form }: { project: ProjectRecord; form: PlanForm }) {
  return (
    <section class="card stack" aria-labelledby="question">
      <h2 id="question">What should it detect?</h2>
      <form class="form" method="get">
        <TextInput form={form} name="baseline_rate" label="Conversion rate of the original, in percent" />
        <TextInput
          form={form}
          name="minimum_effect"
          label="Smallest effect worth detecting, in percent of that rate"
          hint="10 is a change from 4 % to 4.4 %, and −10 from 4 % to 3.6 %."
        />
        <TextInput form={form} name="variations" label="Variations, with the original" />
        <TextInput
          form={form}
          name="daily_visitors"
          label="Participants a day (optional)"
          hint="In all variations together. Needed for the number of days."
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

interface InputProps {
  form: PlanForm;
  name: PlanField;
  label: string;
  hint?: string;
}

function TextInput({ form, name, label, hint }: InputProps) {
  const error = form.errors[name];
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(
    Boolean,
  );
  return (
    <p class="field">
      <label for={name}>{label}</label>
      <input
        type="text"
        inputmode="decimal"
        id={name}
        name={name}
        value={form.values[name]}
        {...(error !== undefined && { 'aria-invalid': 'true' })}
        {...(described.length > 0 && { 'aria-describedby': described.join(' ') })}
      />
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

function Method({ project, form }: { project: ProjectRecord; form: PlanForm }) {
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

function Answer({ plan }: { plan: PlanRecord }) {
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
        <Setting title="To use this plan">
          Update the experiment over the API with{' '}
          <code>{JSON.stringify({ planned_participants: plan.participants })}</code> before its first start.
        </Setting>
      </FactsList>
    </section>
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
