import type { OpenAPIObject } from '@nestjs/swagger';
import { CLIENT_KEY_SCHEMES } from '../common/openapi/client-key';

/** The header, in which the page sends client keys. Other clients have more ways. */
const SHOWN_SCHEME = 'clientKeyHeader';
const SHOWN_NAME = 'clientKey';

/** The schemes that the page shows, by their names on it. */
const shown = <T>(schemes: Record<string, T>): [string, T][] =>
  Object.entries(schemes).flatMap(([name, value]): [string, T][] => {
    if (name === SHOWN_SCHEME) {
      return [[SHOWN_NAME, value]];
    }
    return name in CLIENT_KEY_SCHEMES ? [] : [[name, value]];
  });

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * The document for the page at `/docs`. The page may send requests only to its own origin, which can differ from the
 * public URL, so its own origin is the first server and the public URL the second. It asks for a client key once,
 * although the API accepts it in several places.
 */
export function pageDocument(document: OpenAPIObject, publicUrl: string): OpenAPIObject {
  const { components = {}, paths } = document;
  return {
    ...document,
    servers: [{ url: new URL(publicUrl).pathname }, { url: publicUrl }],
    components: {
      ...components,
      securitySchemes: Object.fromEntries(shown(components.securitySchemes ?? {})),
    },
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, withShownSchemes(item)])),
  };
}

type PathItem = OpenAPIObject['paths'][string];

function withShownSchemes(item: PathItem): PathItem {
  const changed: PathItem = { ...item };
  for (const method of METHODS) {
    const operation = item[method];
    if (operation?.security !== undefined) {
      const security = operation.security
        .map((schemes) => [schemes, Object.fromEntries(shown(schemes))] as const)
        .filter(([all, some]) => Object.keys(all).length === Object.keys(some).length)
        .map(([, some]) => some);
      changed[method] = { ...operation, security };
    }
  }
  return changed;
}
