import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { RouteAudit } from '../access/route-audit';
import { conditionSchemas } from '../audiences/conditions.reference';
import { ERROR_BODIES } from '../common/openapi/error-bodies';
import { CLIENT_KEY_SCHEMES, WITHOUT_SECURITY } from '../common/openapi/client-key';
import type { Config } from '../config/config';
import { VERSION } from '../config/version';
import { collectionPaths, collectionSchemas } from '../events/collection.reference';
import { deliveryPaths, deliverySchemas } from '../publishing/delivery.reference';
import { sharingPaths } from '../sharing/sharing.reference';
import { accessTexts, publicOperations } from './access-texts';
import { introduction } from './introduction';
import { describePathIds } from './path-ids';
import { pageOptions, servePage } from './reference-page';
import { addCodeSamples } from './samples/code-samples';
import { TAGS } from './tags';

const TOKEN = 'An API token, `gos_...`, from API tokens in personal settings or from the admin command.';

/** The OpenAPI 3.1 document of the whole API. */
export function buildDocument(app: INestApplication, config: Config): OpenAPIObject {
  const document = buildOperations(app, config);
  describeAccess(document.paths, app);
  addCodeSamples(document, config.publicUrl);
  return document;
}

/** The document without texts about access, which are only known after the application has started. */
export function buildOperations(app: INestApplication, config: Config): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, baseOf(config), { extraModels: ERROR_BODIES });
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

/** The path of the reference, which a library serves. */
export const REFERENCE_PATH = '/docs';

/** Serves the interactive reference at `/docs`. It is built on first use. */
export function setUpReference(app: NestFastifyApplication, config: Config): void {
  let built: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (built ??= buildDocument(app, config));
  servePage(app.getHttpAdapter().getInstance(), REFERENCE_PATH, document);
  SwaggerModule.setup(REFERENCE_PATH, app, document, {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    ...pageOptions(config),
  });
}
