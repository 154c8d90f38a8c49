import type { FormFields } from '../common/http/json-body';
import { text } from '../common/validation/checks';
import { TOKEN_PERMISSIONS, TokenPermission, TokenRecord } from '../tokens/tokens.service';
import type { FieldErrors } from './field-errors';

export interface TokenForm {
  name: string;
  permission: string;
}

/** The form's values, and the requested token if the form is valid. */
export interface ReadTokenForm {
  form: TokenForm;
  token: { name: string; permission: TokenPermission } | null;
  errors: FieldErrors<TokenForm>;
}

const MAX_NAME = 255;
const checkName = text(MAX_NAME, 1);

/** The field with the id of the newest token on the page. */
export const NEWEST_TOKEN = 'newest';

const SENT_AGAIN =
  'A token with this name was created after you opened this form, perhaps because you reloaded the page. ' +
  'It is in the list. Submit the form again to create another one.';

const isPermission = (value: string): value is TokenPermission => Object.hasOwn(TOKEN_PERMISSIONS, value);

/**
 * Reads the form for a new token. Browsers resubmit a form when its response page is reloaded. @param tokens the
 * existing tokens
 */
export function readTokenForm(fields: FormFields, tokens: readonly TokenRecord[]): ReadTokenForm {
  const { name: given = '', permission = '' } = fields;
  const name = given.trim();
  const form = { name, permission };
  const problem = checkName(name, 'name') ?? (isSentAgain(fields, name, tokens) ? SENT_AGAIN : null);
  if (problem === null && isPermission(permission)) {
    return { form, token: { name, permission }, errors: {} };
  }
  const errors = {
    ...(typeof problem === 'string' && { name: problem }),
    ...(!isPermission(permission) && { permission: 'Choose a permission.' }),
  };
  return { form, token: null, errors };
}

const isSentAgain = (fields: FormFields, name: string, tokens: readonly TokenRecord[]): boolean =>
  tokens.some((token) => token.name === name && token.id > Number(fields[NEWEST_TOKEN] ?? Infinity));
