import { labelOf } from '../../common/validation/fields';

const PLACE_IN_LIST = /\.\d+(?:\..*)?$/;

/** The field of a form that an API path such as `tags.0` belongs to. */
export const fieldOf = (path: string): string => path.replace(PLACE_IN_LIST, '');

/**
 * The API's message about a field with the field's label on the page in place of its name: `The url must be ...` becomes
 * `“Address” must be ...`. Other messages stay as they are.
 */
export function messageInWords(message: string, path: string, label: string): string {
  const field = fieldOf(path);
  const names = [field, field.split('.').at(-1) ?? field].map(labelOf);
  const found = names.map((name) => `The ${name} `).find((beginning) => message.startsWith(beginning));
  return found === undefined
    ? message
    : `“${label}” ${message.slice(found.length).replace(/^field (?=is|may)/, '')}`;
}
