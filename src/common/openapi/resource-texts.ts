import type { OperationText } from './operations';

/** A kind of record, in the words of the reference. */
interface Kind {
  /** As part of an `operationId`: `Goal`. */
  id: string;
  /** In a sentence: `a goal`. */
  one: string;
  /** With what they belong to: `the goals of a project`. */
  many: string;
}

const FIND = `For scripts that know a name and need the id. The name is compared to the byte, after Unicode normalisation
(NFC): case, accents and blanks count. Of several with the same name it is the oldest. It changes nothing, so a token
that may only read is enough, though the method is POST.`;

type Texts<Operation extends string> = Record<Operation, OperationText>;

/** Reading records. @param what they are for */
export const readTexts = ({ id, one, many }: Kind, what: string): Texts<'list' | 'show' | 'find'> => ({
  list: { id: `list${id}s`, summary: `List ${many}`, description: what },
  show: { id: `show${id}`, summary: `Show ${one}`, description: what },
  find: { id: `find${id}ByName`, summary: `Find ${one} by its exact name`, description: FIND },
});

/** Making a record. */
export const createText = ({ id, one }: Kind, description: string): OperationText => ({
  id: `create${id}`,
  summary: `Create ${one}`,
  description,
});

/** Changing and deleting a record. */
export const changeTexts = (
  { id, one }: Kind,
  { update, remove }: { update: string; remove: string },
): Texts<'put' | 'patch' | 'remove'> => ({
  put: { id: `put${id}`, summary: `Update ${one}`, description: update },
  patch: { id: `patch${id}`, summary: `Update ${one}; the same as PUT`, description: update },
  remove: { id: `delete${id}`, summary: `Delete ${one}`, description: remove },
});
