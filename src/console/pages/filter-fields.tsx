import type { ComponentChildren } from 'preact';
import { shortName } from '../../presentation/text/words';

interface Named {
  id: number;
  name: string;
}

interface SearchFormProps {
  /** The path of the page without a query. */
  address: string;
  isFiltered: boolean;
  /** The filter fields. */
  children: ComponentChildren;
}

/** A form with filter fields. The page keeps their values in its URL. */
export function SearchForm({ address, isFiltered, children }: SearchFormProps) {
  return (
    <form class="card stack search-form screen-only" method="get" action={address} role="search">
      <div class="fields">{children}</div>
      <p class="actions">
        <button class="button" type="submit">
          Search
        </button>{' '}
        {isFiltered && <a href={address}>Show all</a>}
      </p>
    </form>
  );
}

/** The field that filters by a part of the name. */
export function NameField({ value }: { value: string }) {
  return (
    <Field name="search" label="Name contains">
      <input type="search" id="search" name="search" value={value} dir="auto" />
    </Field>
  );
}

/** A labelled field in a filter. */
export function Field({
  name,
  label,
  children,
}: {
  name: string;
  label: string;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {children}
    </div>
  );
}

interface SelectProps<T extends string | number> {
  name: string;
  label: string;
  options: readonly { id: T; name: string }[];
  /** Null for no filter. */
  chosen: T | null;
}

/** A filter field with options, including one for all. */
export function Select<T extends string | number>({ name, label, options, chosen }: SelectProps<T>) {
  return (
    <Field name={name} label={label}>
      <select id={name} name={name}>
        <option value="">All</option>
        {options.map((option) => (
          <option key={option.id} value={option.id} selected={option.id === chosen} dir="auto">
            {shortName(option.name)}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Adds the id to options that share a name. */
export function apart(choices: readonly Named[]): Named[] {
  const isTwice = (name: string): boolean => choices.filter((each) => each.name === name).length > 1;
  return choices.map(({ id, name }) => ({
    id,
    name: isTwice(name) ? `${shortName(name, 40)} (id ${id})` : name,
  }));
}
