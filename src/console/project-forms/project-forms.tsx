import type { FormFields } from '../../common/http/json-body';
import type { ProjectSettingsRecord } from '../../projects/settings/project-settings.record';
import { PUSH_TARGETS, type PushTarget } from '../../projects/settings/push-targets';
import type { ConsoleForm, FilledForm } from '../forms/console-form';
import { checked, chosenIn, linesOf, numberOrText, textOrNull } from '../../presentation/text/form-text';
import { projectPath } from '../pages/console-page';
import { Checks, Choices, TextArea, TextInput } from '../pages/form-fields';
import { METHODS } from '../pages/project-page';
import { editProjectPath, editSettingsPath, projectCrumbs } from './paths';
import type { ProjectSubject, SettingsSubject } from './project-subject';

/** Changes a project's name and its rules for results. */
export const PROJECT_FORM: ConsoleForm<ProjectSubject> = {
  path: ({ project }) => editProjectPath(project.id),
  crumbs: projectCrumbs,
  title: () => 'Edit the project',
  permission: () => 'project:settings',
  etag: ({ projectTag }) => projectTag,
  values: ({ project }) => ({
    name: project.name,
    description: project.description ?? '',
    significance: String(project.significance),
    min_conversions: String(project.min_conversions),
    min_runtime_days: String(project.min_runtime_days),
  }),
  Body: ({ form }) => (
    <>
      <TextInput form={form} name="name" label="Name" />
      <TextArea form={form} name="description" label="Description" />
      <p>
        Changes to the settings below apply to running experiments immediately. Make them before you look at
        results.
      </p>
      <TextInput
        form={form}
        name="significance"
        label="Required confidence (%)"
        hint="95 accepts one false positive in twenty."
        inputmode="decimal"
      />
      <TextInput
        form={form}
        name="min_conversions"
        label="Minimum conversions"
        hint="A verdict requires twice this number in the original and the variation together."
        inputmode="decimal"
      />
      <TextInput
        form={form}
        name="min_runtime_days"
        label="Minimum runtime (days)"
        hint="Use whole weeks."
        inputmode="decimal"
      />
    </>
  ),
  button: () => 'Save',
  call: ({ project }, fields) => ({
    method: 'PATCH',
    path: `/api${projectPath(project.id)}`,
    body: projectFields(fields),
  }),
  done: ({ project }) => ({ path: projectPath(project.id), notice: 'saved' }),
};

const projectFields = ({ name = '', description = '', ...rules }: FormFields): object => ({
  name,
  description: textOrNull(description),
  significance: numberOrText(rules.significance),
  min_conversions: numberOrText(rules.min_conversions),
  min_runtime_days: numberOrText(rules.min_runtime_days),
});

const CORRECTIONS: Record<ProjectSettingsRecord['correction'], string> = {
  none: 'None: each comparison separately',
  holm: 'Holm: controls the chance of any false winner',
  'benjamini-hochberg': 'Benjamini-Hochberg: controls the share of false winners',
};

const TARGETS: Record<PushTarget, string> = {
  dataLayer: 'Google Tag Manager (dataLayer)',
  gtag: 'Google Analytics (gtag)',
  analytics: 'Segment (analytics)',
};

const optionsOf = <Value extends string>(texts: Record<Value, string>) =>
  Object.entries<string>(texts).map(([value, label]) => ({ value, label }));

const SHARING = { true: 'Yes', false: 'No' };

/** The API distinguishes an empty list of origins from null, but an empty text field has only one state. */
const UNLISTED_ORIGINS = { all: 'Every site may send events', none: 'No site may send events' };

/** Changes the settings of a project. */
export const SETTINGS_FORM: ConsoleForm<SettingsSubject> = {
  path: ({ project }) => editSettingsPath(project.id),
  crumbs: projectCrumbs,
  title: () => 'Project settings',
  permission: () => 'project:settings',
  etag: ({ settingsTag }) => settingsTag,
  values: ({ settings }) => ({
    statistics_method: settings.statistics_method,
    correction: settings.correction,
    uplift_prior: textOf(settings.uplift_prior),
    currency: textOf(settings.currency),
    share_by_default: String(settings.share_by_default),
    allowed_origins: (settings.allowed_origins ?? []).join('\n'),
    unlisted_origins: settings.allowed_origins?.length === 0 ? 'none' : 'all',
    events_per_minute: textOf(settings.events_per_minute),
    event_retention_days: textOf(settings.event_retention_days),
    ...checked('push_to', settings.push_to),
  }),
  Body: ({ form }) => (
    <>
      <Results form={form} />
      <Collection form={form} />
    </>
  ),
  button: () => 'Save',
  call: ({ project }, fields) => ({
    method: 'PATCH',
    path: `/api${projectPath(project.id)}/settings`,
    body: settingsFields(fields),
  }),
  done: ({ project }) => ({ path: projectPath(project.id), notice: 'saved' }),
};

function Results({ form }: { form: FilledForm }) {
  return (
    <>
      <Choices
        form={form}
        name="statistics_method"
        label="Statistical method"
        hint="A change applies to running experiments immediately. Choose the method before you look at results."
        options={optionsOf(METHODS)}
      />
      <Choices
        form={form}
        name="correction"
        label="Multiple-comparison correction"
        options={optionsOf(CORRECTIONS)}
      />
      <TextInput
        form={form}
        name="uplift_prior"
        label="Uplift prior (%)"
        hint="Standard deviation of the prior for Bayesian figures. If empty, the prior is flat."
        inputmode="decimal"
      />
      <TextInput
        form={form}
        name="currency"
        label="Revenue currency"
        hint="A code such as EUR. If empty, amounts have no currency."
      />
      <Choices
        form={form}
        name="share_by_default"
        label="New experiments have an active share link"
        options={optionsOf(SHARING)}
      />
    </>
  );
}

function Collection({ form }: { form: FilledForm }) {
  return (
    <>
      <TextArea
        form={form}
        name="allowed_origins"
        label="Allowed origins"
        hint="Sites that may send events, one per line, such as https://shop.example.com."
      />
      <Choices
        form={form}
        name="unlisted_origins"
        label="If no origins are listed"
        options={optionsOf(UNLISTED_ORIGINS)}
      />
      <TextInput
        form={form}
        name="events_per_minute"
        label="Maximum events per minute"
        hint="If empty, the server’s limit applies."
        inputmode="decimal"
      />
      <TextInput
        form={form}
        name="event_retention_days"
        label="Remove events after (days)"
        hint="If empty, events are kept. Events for experiments without a final result are always kept."
        inputmode="decimal"
      />
      <Checks
        form={form}
        name="push_to"
        label="Send exposures to other tools on the page"
        hint="Takes effect with the next publication."
        options={PUSH_TARGETS.map((value) => ({ value, label: TARGETS[value] }))}
      />
    </>
  );
}

const textOf = (value: string | number | null): string => (value === null ? '' : String(value));

function settingsFields(fields: FormFields): object {
  const { statistics_method, correction, share_by_default: isShared, unlisted_origins: unlisted } = fields;
  const origins = linesOf(fields.allowed_origins);
  return {
    statistics_method,
    correction,
    uplift_prior: numberOrText(fields.uplift_prior),
    currency: textOrNull(fields.currency)?.trim() ?? null,
    share_by_default: isShared === 'true' || (isShared === 'false' ? false : isShared),
    allowed_origins: origins.length === 0 && unlisted !== 'none' ? null : origins,
    events_per_minute: numberOrText(fields.events_per_minute),
    event_retention_days: numberOrText(fields.event_retention_days),
    push_to: chosenIn('push_to', fields),
  };
}
