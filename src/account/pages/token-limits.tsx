import { Moment, Name } from '../../presentation/components/text';
import type { TokenProject } from '../../users/tokens/token.store';
import type { TokenRecord } from '../../users/tokens/tokens.service';
import { projectField, TokenForm } from '../token-form';
import { FieldError } from './fields';

const EXPIRY_NAMES = [
  ['never', 'Never'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '365 days'],
] as const;

/** The field for choosing the token's expiry. */
export function Expiry({ chosen, error }: { chosen: string; error: string | undefined }) {
  return (
    <fieldset class="field" {...(error !== undefined && { 'aria-describedby': 'expires-error' })}>
      <legend>Expires</legend>
      {EXPIRY_NAMES.map(([value, name]) => (
        <label key={value} class="choice">
          <input type="radio" name="expires" value={value} checked={value === chosen} required />
          <span>{name}</span>
        </label>
      ))}
      <FieldError id="expires-error">{error}</FieldError>
    </fieldset>
  );
}

interface ProjectAccessProps {
  form: TokenForm;
  projects: readonly TokenProject[];
  error: string | undefined;
}

/** The fields for choosing the projects that the token may access. */
export function ProjectAccess({ form, projects, error }: ProjectAccessProps) {
  return (
    <fieldset class="field" {...(error !== undefined && { 'aria-describedby': 'access-error' })}>
      <legend>Projects</legend>
      <label class="choice">
        <input type="radio" name="access" value="all" checked={form.access === 'all'} required />
        <span>
          All projects<span class="range">Including projects that you get access to later</span>
        </span>
      </label>
      <label class="choice">
        <input type="radio" name="access" value="some" checked={form.access === 'some'} required />
        <span>
          Only selected projects<span class="range">Requests to other projects return 404</span>
        </span>
      </label>
      <FieldError id="access-error">{error}</FieldError>
      {projects.map(({ id, name, team }) => (
        <label key={id} class="choice">
          <input type="checkbox" name={projectField(id)} value="yes" checked={form.projects.includes(id)} />
          <span>
            <Name>{name}</Name>
            <span class="range">
              <Name>{team}</Name>
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The table cell with a token's expiry. */
export function ExpiryCell({ token: { expires_at: at } }: { token: TokenRecord }) {
  if (at === null) {
    return <>Never</>;
  }
  return Date.parse(at) > Date.now() ? <Moment at={at} /> : <span class="error">Expired</span>;
}

/** The table cell with a token's projects. */
export function ProjectsCell({ token: { projects } }: { token: TokenRecord }) {
  if (projects === null) {
    return <>All</>;
  }
  return (
    <>
      {projects.map(({ id, name }, index) => (
        <>
          {index > 0 && ', '}
          {name === null ? `Project ${id} (no access)` : <Name>{name}</Name>}
        </>
      ))}
    </>
  );
}
