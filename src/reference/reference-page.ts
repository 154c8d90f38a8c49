import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { OpenAPIObject, SwaggerCustomOptions } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config';
import { renderOutlinePage } from './outline-page';
import { pageDocument } from './page-document';

const asset = (name: string): string => readFileSync(join(__dirname, 'assets', name), 'utf8');

const PLUGIN = asset('plugin.js');
const STYLES = { outline: asset('outline.css'), reference: asset('reference.css') };

/** The script of the page contains functions as their text. */
const plugin = Object.assign(() => undefined, { toString: () => PLUGIN });

/** The behaviour of Swagger UI. */
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
 * Serves Gosset's own page instead of the library's empty one. Call it before the library adds its routes.
 * @param path of the page
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
