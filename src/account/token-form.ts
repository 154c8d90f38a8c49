import type { FormFields } from '../common/http/json-body';
import { name as checkName } from '../common/validation/checks';
import { messageInWords } from '../presentation/text/form-text';
import type { TokenProject } from '../users/tokens/token.store';
import {
  MAX_TOKEN_PROJECTS,
  TOKEN_PERMISSIONS,
  TokenPermission,
  TokenRecord,
} from '../users/tokens/tokens.service';
import type { FieldErrors } from './pages/fields';

export interface TokenForm {
  name: string;
  permission: string;
  /** One of `EXPIRIES`. */
  expires: string;
  /** `all` or `some`. */
  access: string;
  /** The ids of the selected projects. */
  projects: readonly number[];
}

/** A requested token. */
export interface NewToken {
  name: string;
  permission: TokenPermission;
  /** Null for a token that does not expire. */
  days: number | null;
  /** Null for all projects. */
  projectIds: readonly number[] | null;
}

/** The form's values, and the requested token if the form is valid. */
export interface ReadTokenForm {
  form: TokenForm;
  token: NewToken | null;
  errors: FieldErrors<TokenForm>;
}

/** The choices for a token's expiry, with the number of days for each. */
const EXPIRIES: Readonly<Record<string, number | null>> = { never: null, 30: 30, 90: 90, 365: 365 };

export const NEW_TOKEN: TokenForm = {
  name: '',
  permission: 'read',
  expires: 'never',
  access: 'all',
  projects: [],
};

/** The name's field, as the form labels it. */
const NAME_FIELD = { name: 'name', label: 'Name' };

/** The field with the id of the newest token on the page. */
export const NEWEST_TOKEN = 'newest';

/** The field of a project's checkbox. */
export const projectField = (id: number): string => `project_${id}`;

const SENT_AGAIN =
  'A token with this name was created after you opened this form, perhaps because you reloaded the page. ' +
  'The token is in the list. Submit the form again to create another token.';

const isPermission = (value: string): value is TokenPermission => Object.hasOwn(TOKEN_PERMISSIONS, value);

/**
 * Reads the form for a new token. Rejects a form that was submitted again, as browsers do when the page with the new
 * token is reloaded.
 * @param tokens the existing tokens
 * @param projects the projects of the user
 */
export function readTokenForm(
  fields: FormFields,
  tokens: readonly TokenRecord[],
  projects: readonly TokenProject[],
): ReadTokenForm {
  const { name: given = '', permission = '', expires = 'never', access = 'all' } = fields;
  const name = given.trim();
  const selected = projects.filter(({ id }) => projectField(id) in fields).map(({ id }) => id);
  const form = { name, permission, expires, access, projects: selected };
  const nameProblem = checkName(name, 'name') ?? (isSentAgain(fields, name, tokens) ? SENT_AGAIN : null);
  const projectProblem = problemOfProjects(form);
  const days = Object.hasOwn(EXPIRIES, expires) ? EXPIRIES[expires] : undefined;
  if (nameProblem === null && isPermission(permission) && days !== undefined && projectProblem === null) {
    const token = { name, permission, days, projectIds: access === 'all' ? null : selected };
    return { form, token, errors: {} };
  }
  const errors = {
    ...(typeof nameProblem === 'string' && { name: messageInWords(nameProblem, 'name', NAME_FIELD) }),
    ...(!isPermission(permission) && { permission: 'Choose a permission.' }),
    ...(days === undefined && { expires: 'Choose when the token expires.' }),
    ...(projectProblem !== null && { access: projectProblem }),
  };
  return { form, token: null, errors };
}

/**
 * Rejects selected projects if access is not limited to them, because the token would have more access than the user
 * expects.
 */
function problemOfProjects({ access, projects }: TokenForm): string | null {
  if (access === 'some') {
    return projects.length === 0
      ? 'Select at least one project.'
      : projects.length > MAX_TOKEN_PROJECTS
        ? `Select at most ${MAX_TOKEN_PROJECTS} projects.`
        : null;
  }
  if (access !== 'all') {
    return 'Choose what the token may access.';
  }
  return projects.length > 0
    ? 'You have selected projects. Choose “Only selected projects”, or deselect them.'
    : null;
}

const isSentAgain = (fields: FormFields, name: string, tokens: readonly TokenRecord[]): boolean =>
  tokens.some((token) => token.name === name && token.id > Number(fields[NEWEST_TOKEN] ?? Infinity));
