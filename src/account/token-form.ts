import type { FormFields } from '../common/http/json-body';
import { text } from '../common/validation/checks';
import { TOKEN_PERMISSIONS, TokenPermission, TokenRecord } from '../tokens/tokens.service';
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

/** The field with the id of the newest token that the page with the form shows. */
export const NEWEST_TOKEN = 'newest';

const SENT_AGAIN =
  'A token with this name was made after this form was opened, perhaps because the page was loaded again. ' +
  'It is in the list. Send the form once more to make another one.';

const isPermission = (value: string): value is TokenPermission => Object.hasOwn(TOKEN_PERMISSIONS, value);

/**
 * Reads the form that asks for a token. Browsers send a form again when the page that answered it is loaded again.
 * @param tokens that there are already
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
    ...(!isPermission(permission) && { permission: 'Choose what the token may do.' }),
  };
  return { form, token: null, errors };
}

const isSentAgain = (fields: FormFields, name: string, tokens: readonly TokenRecord[]): boolean =>
  tokens.some((token) => token.name === name && token.id > Number(fields[NEWEST_TOKEN] ?? Infinity));
