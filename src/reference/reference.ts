import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { RouteAudit } from '../access/route-audit';
import { conditionSchemas } from '../audiences/conditions.reference';
import { CLIENT_KEY_SCHEMES, WITHOUT_SECURITY } from '../common/openapi/client-key';
import type { Config } from '../config/config';
import { VERSION } from '../config/version';
import { collectionPaths, collectionSchemas } from '../events/collection.reference';
import { deliveryPaths, deliverySchemas } from '../publishing/delivery.reference';
import { sharingPaths } from '../sharing/sharing.reference';
import { accessTexts, publicOperations } from './access-texts';
import { introduction } from './introduction';
import { describePathIds } from './path-ids';
import { TAGS } from './tags';

const TOKEN = 'An API token, `gos_...`, from API Tokens in personal settings or from the admin command.';

/** The OpenAPI 3.1 document of the whole API. */
export function buildDocument(app: INestApplication, config: Config): OpenAPIObject {
  const document = buildOperations(app, config);
  describeAccess(document.paths, app);
  return document;
}

/** The document without what it says about access, which only an application that has started knows. */
export function buildOperations(app: INestApplication, config: Config): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, baseOf(config));
  Object.assign(document.paths, sharingPaths, collectionPaths, deliveryPaths);
  Object.assign(document.components?.schemas ?? {}, conditionSchemas, collectionSchemas, deliverySchemas);
  describePathIds(document.paths);
  return document;
}

function baseOf({ publicUrl }: Config): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setTitle('Gosset')
    .setDescription(introduction(publicUrl))
    .setVersion(VERSION)
    .setOpenAPIVersion('3.1.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(publicUrl)
    .addSecurity('bearer', { type: 'http', scheme: 'bearer', description: TOKEN });
  for (const [name, scheme] of Object.entries(CLIENT_KEY_SCHEMES)) {
    builder.addSecurity(name, scheme);
  }
  for (const [name, description] of Object.entries(TAGS)) {
    builder.addTag(name, description);
  }
  const base = builder.build();
  return { ...base, info: { ...base.info, contact: { name: 'Operator of this server', url: publicUrl } } };
}

function describeAccess(paths: OpenAPIObject['paths'], app: INestApplication): void {
  const routes = app.get(RouteAudit).routes();
  const texts = accessTexts(routes);
  const open = publicOperations(routes);
  for (const [path, item] of Object.entries(paths)) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
      const text = texts.get(`${method} ${path}`);
      const operation = item[method];
      if (operation !== undefined && text !== undefined) {
        operation.description = `${operation.description ?? ''}\n\n${text}`;
      }
      if (operation !== undefined && open.has(`${method} ${path}`)) {
        operation.security = WITHOUT_SECURITY;
      }
    }
  }
}

/**
 * The document for the page at `/docs`. The page may send requests only to its own origin, which can differ from the
 * public URL, so its own origin is the first server and the public URL the second.
 */
function documentFor(
  { url }: { url: string },
  document: OpenAPIObject,
  { publicUrl }: Config,
): OpenAPIObject {
  return url.includes('/swagger-ui-init.js')
    ? { ...document, servers: [{ url: new URL(publicUrl).pathname }, { url: publicUrl }] }
    : document;
}

/** Where the reference is, which a library serves. */
export const REFERENCE_PATH = '/docs';

/** Serves the interactive reference at `/docs`, built when it is first asked for. */
export function setUpReference(app: INestApplication, config: Config): void {
  SwaggerModule.setup(REFERENCE_PATH, app, () => buildDocument(app, config), {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    customSiteTitle: 'Gosset API',
    patchDocumentOnRequest: (request, _, document) =>
      documentFor(request as { url: string }, document, config),
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, docExpansion: 'none' },
  });
}
