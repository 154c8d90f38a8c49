import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { OpenAPIObject, SwaggerCustomOptions } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { CLIENT_KEY_SCHEMES } from '../../common/openapi/client-key';
import type { Config } from '../../config/config';
import { renderOutlinePage } from './outline-page';

/** The page sends client keys only in this header. Other clients can send them in different ways. */
const SHOWN_SCHEME = 'clientKeyHeader';
const SHOWN_NAME = 'clientKey';

/** The security schemes that the page shows, with the names that it gives them. */
const shown = <T>(schemes: Record<string, T>): [string, T][] =>
  Object.entries(schemes).flatMap(([name, value]): [string, T][] => {
    if (name === SHOWN_SCHEME) {
      return [[SHOWN_NAME, value]];
    }
    return name in CLIENT_KEY_SCHEMES ? [] : [[name, value]];
  });

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * The document for the page at `/docs`. The page may only send requests to its own origin, which can differ from the
 * public URL, so its own origin is the first server and the public URL is the second. The page asks for a client key
 * only once, although the API accepts it in several places.
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

const asset = (name: string): string => readFileSync(join(__dirname, 'assets', name), 'utf8');

const PLUGIN = asset('plugin.js');
const STYLES = { outline: asset('outline.css'), reference: asset('reference.css') };

/**
 * The library writes functions into the page's script as source text, so this function's text is the plugin's source.
 */
const plugin = Object.assign(() => undefined, { toString: () => PLUGIN });

/** The settings of Swagger UI. */
export const pageOptions = ({ publicUrl }: Config): SwaggerCustomOptions => ({
  patchDocumentOnRequest: (request, _, document) =>
    (request as { url: string }).url.includes('/swagger-ui-init.js')
      ? pageDocument(document, publicUrl)
      : document,
  swaggerOptions: {
    persistAuthorization: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    deepLinking: true,
    filter: true,
    plugins: [plugin],
  },
});

/**
 * Serves Gosset's own page instead of the library's empty one. Must be called before the library adds its routes.
 * @param path the path of the page
 */
export function servePage(server: FastifyInstance, path: string, getDocument: () => OpenAPIObject): void {
  const pages = new Map<string, string>();
  const pageIn = (folder: string): string => {
    const page = pages.get(folder) ?? renderOutlinePage({ document: getDocument(), styles: STYLES, folder });
    pages.set(folder, page);
    return page;
  };
  const addresses = [path, `${path}/`, `${path}/index.html`];
  server.addHook('onRoute', (route) => {
    if (route.method === 'GET' && addresses.includes(route.url)) {
      route.handler = ({ url }, reply) => {
        const [address = ''] = url.split('?');
        const folder = address.endsWith(path) ? `./${basename(path)}/` : './';
        void reply.type('text/html; charset=utf-8').send(pageIn(folder));
      };
    }
  });
}
