import type { ComponentChildren } from 'preact';
import { DEVICE_TYPES } from '../../events/device-types';
import type { ResultFilter } from '../../results/experiment-results';
import { DEVICE_NAMES, filterWords, isFiltered } from '../filter-words';
import type { FilterForm } from '../share-model';

interface FilterProps {
  /** What is in force; null when what was typed cannot be used. */
  filter: ResultFilter | null;
  form: FilterForm;
}

/** Whom the figures are about, and the form to change that. It works by itself: the address is the filter. */
export function Filter({ filter, form }: FilterProps) {
  return (
    <section class="filter" aria-label="What is shown">
      <details open={filter === null}>
        <summary>
          <span>
            {filter === null ? 'This filter cannot be used; see below what is wrong.' : filterWords(filter)}
          </span>
          <span class="filter-change">Filter</span>
        </summary>
        <form class="card" method="get">
          <div class="fields">
            <DateField name="startDate" label="First day" value={form.startDate} errors={form.errors} />
            <DateField name="endDate" label="Last day" value={form.endDate} errors={form.errors} />
            <Devices form={form} />
          </div>
          <p class="small muted">
            Days are in UTC. A filter selects participants by when they entered and the device they had then;
            what they did counts until the end of the last day.
          </p>
          <p class="actions">
            <button class="button" type="submit">
              Show
            </button>
            <ShowEverything />
          </p>
        </form>
      </details>
      {filter !== null && isFiltered(filter) && <ShowEverything />}
    </section>
  );
}

function ShowEverything() {
  return (
    <a class="link-button screen-only" href="?">
      Show everything
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
          <Choice key={device} device={device} isChosen={form.deviceTypes.includes(device)}>
            {DEVICE_NAMES[device]}
          </Choice>
        ))}
      </div>
      <Errors id="deviceTypes-error" messages={messages} />
    </fieldset>
  );
}

interface ChoiceProps {
  device: string;
  isChosen: boolean;
  children: ComponentChildren;
}

function Choice({ device, isChosen, children }: ChoiceProps) {
  return (
    <label class="choice">
      <input type="checkbox" name="deviceTypes" value={device} checked={isChosen} />
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
