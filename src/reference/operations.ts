import type { OpenAPIObject } from '@nestjs/swagger';

export interface ListedOperation {
  /** `POST` */
  method: string;
  path: string;
  summary: string;
  /** Swagger UI's fragment for the operation, such as `/Goals/createGoal`. */
  link: string;
}

export interface TaggedOperations {
  tag: string;
  description: string;
  operations: ListedOperation[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The operations of a document by their first tag, in the order of its tags. Tags without operations are left out. */
export function operationsByTag({ tags = [], paths }: OpenAPIObject): TaggedOperations[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const { tags: [tag = ''] = [], summary = '', operationId = '' } = item[method] ?? {};
      const link = `/${encodeURI(tag)}/${operationId}`;
      return tag === '' ? [] : [{ tag, method: method.toUpperCase(), path, summary, link }];
    }),
  );
  return tags
    .map(({ name, description = '' }) => ({
      tag: name,
      description,
      operations: all.filter(({ tag }) => tag === name).map(({ tag: _, ...operation }) => operation),
    }))
    .filter(({ operations }) => operations.length > 0);
}
