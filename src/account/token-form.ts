import type { FormFields } from '../common/http/json-body';
import { text } from '../common/validation/checks';
import { TOKEN_PERMISSIONS, TokenPermission } from '../tokens/tokens.service';
import type { FieldErrors } from './field-errors';

export interface TokenForm {
  name: string;
  permission: string;
}

/** What the form says, and the token that it asks for unless something is wrong with it. */
export interface ReadTokenForm {
  form: TokenForm;
  token: { name: string; permission: TokenPermission } | null;
  errors: FieldErrors<TokenForm>;
}

const MAX_NAME = 255;
const checkName = text(MAX_NAME, 1);

const isPermission = (value: string): value is TokenPermission => Object.hasOwn(TOKEN_PERMISSIONS, value);

/** Reads the form that asks for a token. */
export function readTokenForm({ name: given = '', permission = '' }: FormFields): ReadTokenForm {
  const name = given.trim();
  const form = { name, permission };
  const problem = checkName(name, 'name');
  if (problem === null && isPermission(permission)) {
    return { form, token: { name, permission }, errors: {} };
  }
  const errors = {
    ...(typeof problem === 'string' && { name: problem }),
    ...(!isPermission(permission) && { permission: 'Choose what the token may do.' }),
  };
  return { form, token: null, errors };
}
