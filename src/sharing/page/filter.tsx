import type { ComponentChildren } from 'preact';
import { DAY_MICROS, type Micros } from '../../common/time/clock';
import { DEVICE_TYPES } from '../../events/device-types';
import type { ResultFilter } from '../../results/experiment-results';
import { sharedQuery, DEVICE_NAMES, filterWords, isFiltered } from '../filter';
import type { FilterForm } from '../share-model';

interface FilterProps {
  /** The active filter; null if the submitted filter is invalid. */
  filter: ResultFilter | null;
  form: FilterForm;
  /** Whether any goal has a conversion window. */
  hasWindows?: boolean;
  /** The reference time for the figures, which presets use; absent if there are no results. */
  asOf?: Micros;
}

/** The filter and its form. The filter's state is in the URL. */
export function Filter({ filter, form, hasWindows = true, asOf }: FilterProps) {
  return (
    <section class="filter" aria-label="Filter">
      <details open={filter === null}>
        <summary>
          <span>
            {filter === null
              ? 'The filter is invalid. Correct the errors below.'
              : filterWords(filter, hasWindows)}
          </span>
          <span class="filter-change">Filter</span>
        </summary>
        <form class="card" method="get">
          {asOf !== undefined && <Presets asOf={asOf} filter={filter} />}
          <div class="fields">
            <DateField name="startDate" label="First day" value={form.startDate} errors={form.errors} />
            <DateField name="endDate" label="Last day" value={form.endDate} errors={form.errors} />
            <Devices form={form} />
            {hasWindows && <Cohorts form={form} />}
          </div>
          <p class="small muted">
            Days are in UTC. The filter selects participants by the day and device of their first exposure.
            Their conversions count until the end of the last day.
          </p>
          <p class="actions">
            <button class="button" type="submit">
              Show
            </button>
            <ShowEverything />
          </p>
        </form>
      </details>
      {filter !== null && isFiltered(filter, hasWindows) && <ShowEverything />}
    </section>
  );
}

const PRESET_DAYS = [7, 14, 28] as const;

/** Links that filter by recent days, including today. Other fields keep their values. */
function Presets({ asOf, filter }: { asOf: Micros; filter: ResultFilter | null }) {
  const today = Math.floor(asOf / DAY_MICROS);
  const { devices = null, cohorts = null } = filter ?? {};
  return (
    <p class="presets">
      {PRESET_DAYS.map((days) => {
        const start = today - days + 1;
        const isCurrent = filter !== null && filter.start === start && filter.end === null;
        return (
          <a
            key={days}
            href={sharedQuery({ start, end: null, devices, cohorts })}
            aria-current={isCurrent ? 'true' : undefined}
          >
            Last {days} days
          </a>
        );
      })}
    </p>
  );
}

function ShowEverything() {
  return (
    <a class="link-button screen-only" href="?">
      Clear filter
    </a>
  );
}

interface DateFieldProps {
  name: 'startDate' | 'endDate';
  label: string;
  value: string;
  errors: FilterForm['errors'];
}

function DateField({ name, label, value, errors }: DateFieldProps) {
  const messages = errors[name] ?? [];
  return (
    <p class="field">
      <label for={name}>{label}</label>
      <input
        type="date"
        id={name}
        name={name}
        value={value}
        {...(messages.length > 0 && { 'aria-invalid': 'true', 'aria-describedby': `${name}-error` })}
      />
      <Errors id={`${name}-error`} messages={messages} />
    </p>
  );
}

function Devices({ form }: { form: FilterForm }) {
  const messages = form.errors.deviceTypes ?? [];
  return (
    <fieldset class="field" {...(messages.length > 0 && { 'aria-describedby': 'deviceTypes-error' })}>
      <legend>Devices</legend>
      <div class="choices">
        {DEVICE_TYPES.map((device) => (
          <Choice key={device} name="deviceTypes" value={device} isChosen={form.deviceTypes.includes(device)}>
            {DEVICE_NAMES[device]}
          </Choice>
        ))}
      </div>
      <Errors id="deviceTypes-error" messages={messages} />
    </fieldset>
  );
}

function Cohorts({ form }: { form: FilterForm }) {
  const messages = form.errors.cohorts ?? [];
  return (
    <fieldset class="field" {...(messages.length > 0 && { 'aria-describedby': 'cohorts-error' })}>
      <legend>Conversion window</legend>
      <div class="choices">
        <Choice name="cohorts" value="mature" isChosen={form.cohorts === 'mature'}>
          Only participants whose window has ended
        </Choice>
      </div>
      <Errors id="cohorts-error" messages={messages} />
    </fieldset>
  );
}

interface ChoiceProps {
  name: string;
  value: string;
  isChosen: boolean;
  children: ComponentChildren;
}

function Choice({ name, value, isChosen, children }: ChoiceProps) {
  return (
    <label class="choice">
      <input type="checkbox" name={name} value={value} checked={isChosen} />
      {children}
    </label>
  );
}

function Errors({ id, messages }: { id: string; messages: readonly string[] }) {
  return messages.length === 0 ? null : (
    <span class="error" id={id}>
      {messages.join(' ')}
    </span>
  );
}
