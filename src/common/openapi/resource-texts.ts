import type { OperationText } from './operation';

/** How the text of the reference names a kind of record. */
interface Kind {
  /** Singular in an `operationId`: `Goal`. */
  id: string;
  /** Plural in an `operationId`; by default `id` with an `s`. */
  ids?: string;
  /** Singular in a sentence: `a goal`. */
  one: string;
  /** Plural with the parent, in a sentence: `the goals of a project`. */
  many: string;
}

const FIND = `Use this in scripts that have a name and need the id. Names are compared exactly after Unicode normalisation (NFC): case, accents and whitespace are significant. If several records share the name, the oldest one is returned. The request changes
nothing, so a Read only token is enough even though the method is POST.`;

type Texts<Operation extends string> = Record<Operation, OperationText>;

/** Text for reading records. @param what purpose of the records */
export const readTexts = (
  { id, ids = `${id}s`, one, many }: Kind,
  what: string,
): Texts<'list' | 'show' | 'find'> => ({
  list: { id: `list${ids}`, summary: `List ${many}`, description: what },
  show: { id: `show${id}`, summary: `Show ${one}`, description: what },
  find: { id: `find${id}ByName`, summary: `Find ${one} by its exact name`, description: FIND },
});

/** Text for creating a record. */
export const createText = ({ id, one }: Kind, description: string): OperationText => ({
  id: `create${id}`,
  summary: `Create ${one}`,
  description,
});

/** Text for changing and deleting a record. */
export const changeTexts = (
  { id, one }: Kind,
  { update, remove }: { update: string; remove: string },
): Texts<'put' | 'patch' | 'remove'> => ({
  put: { id: `put${id}`, summary: `Update ${one}`, description: update },
  patch: { id: `patch${id}`, summary: `Update ${one}; the same as PUT`, description: update },
  remove: { id: `delete${id}`, summary: `Delete ${one}`, description: remove },
});
