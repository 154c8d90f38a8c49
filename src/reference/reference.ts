import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { RouteAudit } from '../access/route-audit';
import { conditionSchemas } from '../audiences/conditions.reference';
import { CLIENT_KEY_SCHEMES } from '../common/openapi/client-key';
import type { Config } from '../config/config';
import { collectionPaths, collectionSchemas } from '../events/collection.reference';
import { deliveryPaths, deliverySchemas } from '../publishing/delivery.reference';
import { sharingPaths } from '../sharing/sharing.reference';
import { accessTexts } from './access-texts';
import { introduction } from './introduction';
import { describePathIds } from './path-ids';
import { TAGS } from './tags';

const TOKEN = 'An API token, `gos_...`, from API Tokens in personal settings or from the admin command.';

/** The OpenAPI 3.1 document of the whole API. */
export function buildDocument(app: INestApplication, config: Config): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, baseOf(config));
  Object.assign(document.paths, sharingPaths, collectionPaths, deliveryPaths);
  Object.assign(document.components?.schemas ?? {}, conditionSchemas, collectionSchemas, deliverySchemas);
  describePathIds(document.paths);
  describeAccess(document.paths, app);
  return document;
}

function baseOf({ publicUrl }: Config): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setTitle('Gosset')
    .setDescription(introduction(publicUrl))
    .setVersion('1.0.0')
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
  return { ...base, info: { ...base.info, contact: { name: 'Whoever runs this server', url: publicUrl } } };
}

function describeAccess(paths: OpenAPIObject['paths'], app: INestApplication): void {
  const texts = accessTexts(app.get(RouteAudit, { strict: false }).routes());
  for (const [path, item] of Object.entries(paths)) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
      const text = texts.get(`${method} ${path}`);
      const operation = item[method];
      if (operation !== undefined && text !== undefined) {
        operation.description = `${operation.description ?? ''}\n\n${text}`;
      }
    }
  }
}

/**
 * The document for the page at `/docs`, which may send requests only to where it comes from: that is not always the
 * public address, which comes second there.
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

/** Serves the interactive reference at `/docs`, built when it is first asked for. */
export function setUpReference(app: INestApplication, config: Config): void {
  SwaggerModule.setup('docs', app, () => buildDocument(app, config), {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    customSiteTitle: 'Gosset API',
    patchDocumentOnRequest: (request, _, document) =>
      documentFor(request as { url: string }, document, config),
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, docExpansion: 'none' },
  });
}
