import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { addressOf } from '../access/api-prefix';
import { rolesWith } from '../access/roles';
import type { NeededPermission, RouteAccess } from '../access/route-access';
import { type DeclaredRoute, RouteAudit } from '../access/route-audit';
import { conditionSchemas } from '../../resources/audiences/conditions.reference';
import { ERROR_BODIES } from '../../common/openapi/error-bodies';
import { CLIENT_KEY_SCHEMES, WITHOUT_SECURITY } from '../../common/openapi/client-key';
import type { Config } from '../../config/config';
import { VERSION } from '../../config/version';
import { collectionPaths, collectionSchemas } from '../../events/collection.reference';
import { deliveryPaths, deliverySchemas } from '../../publishing/delivery.reference';
import { RESOURCES } from '../../resources/registry';
import { sharingPaths } from '../../sharing/sharing.reference';
import { WEBHOOKS } from '../../webhooks/webhook-kind';
import { describeCommonHeaders } from './common-headers';
import { introduction } from './introduction';
import { describePathIds } from './path-ids';
import { serveDocuments } from './reference-documents';
import { pageOptions, servePage } from './reference-page';
import { addCodeSamples } from './samples/code-samples';

/** Writable resources come before read-only ones. */
const resources = [
  ...RESOURCES.filter(({ writes }) => writes !== undefined),
  ...RESOURCES.filter(({ writes }) => writes === undefined),
];

/** The tags of the reference, in the order in which a new user should read them. */
const TAGS: Readonly<Record<string, string>> = {
  Teams: 'Groups of users. List your teams first to find everything else.',
  Members: 'The users of a team and their roles. For team admins only.',
  Projects: 'A site or product with its keys and its rules for results.',
  Experiments: 'Define, start, pause, clone and publish experiments.',
  Variations: 'The versions that an experiment shows to its visitors.',
  ...Object.fromEntries(resources.map(({ chapter, texts }) => [chapter, texts.chapter])),
  Results: 'The results of an experiment: statistics, daily figures, and shared results.',
  Visitors: 'The stored data of one visitor, for access and deletion requests.',
  [WEBHOOKS.chapter]: WEBHOOKS.texts.chapter,
  Delivery: 'The script for sites, and the payload for SDKs. Called with the client key of a project.',
  Decisions: 'Variation assignments for back ends and SDKs. Called with the client key of a project.',
  Collection:
    'Receive exposures and conversions from sites and back ends. Called with the client key of a project.',
  Health: 'Health checks for operators.',
};

const TOKEN = 'An API token, `gos_...`, from API tokens in personal settings or from the admin command.';

/** The OpenAPI 3.1 document of the whole API. */
export function buildDocument(app: INestApplication, config: Config): OpenAPIObject {
  const document = buildOperations(app, config);
  describeAccess(document.paths, app);
  addCodeSamples(document, config.publicUrl);
  return document;
}

/** The document without access descriptions, which are available only after the application has started. */
export function buildOperations(app: INestApplication, config: Config): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, baseOf(config), { extraModels: ERROR_BODIES });
  Object.assign(document.paths, sharingPaths, collectionPaths, deliveryPaths);
  Object.assign(document.components?.schemas ?? {}, conditionSchemas, collectionSchemas, deliverySchemas);
  describePathIds(document.paths);
  removeUpdateDefaults(document);
  describeCommonHeaders(document);
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

/** The token and role that each operation requires, by method and path: `get /api/teams`. */
function accessTexts(routes: readonly DeclaredRoute[]): Map<string, string> {
  return new Map(
    routes.flatMap(({ method, path, access }) =>
      access === null
        ? []
        : [
            [
              `${method.toLowerCase()} /api/${path.replace(/:(\w+)/g, '{$1}')}`,
              accessText(method, path, access),
            ],
          ],
    ),
  );
}

/** The operations that require neither a token nor a session, by method and path: `get /health/live`. */
const publicOperations = (routes: readonly DeclaredRoute[]): ReadonlySet<string> =>
  new Set(
    routes
      .filter(({ isPublic }) => isPublic)
      .map(({ method, path, needsSession }) => `${method.toLowerCase()} ${addressOf(path, needsSession)}`),
  );

function accessText(method: string, path: string, { permission, ability }: RouteAccess): string {
  const needed = ability ?? (method === 'GET' ? 'read' : 'write');
  const role = path.includes(':') ? ` ${roleText(permission)}` : '';
  return `**Needs** a token with the ability \`${needed}\`.${role}`;
}

function roleText(permission: NeededPermission): string {
  return typeof permission === 'function'
    ? 'The required role depends on the request, as described above.'
    : `Allowed roles: ${rolesWith(permission).join(', ')} (\`${permission}\`).`;
}

/** The path of the reference page. A library serves the page's scripts and documents below this path. */
export const REFERENCE_PATH = '/docs';

/** Serves the interactive reference at `/docs`. The document is built on first use. */
export function setUpReference(app: NestFastifyApplication, config: Config): void {
  let built: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (built ??= buildDocument(app, config));
  const server = app.getHttpAdapter().getInstance();
  servePage(server, REFERENCE_PATH, document);
  serveDocuments(server, REFERENCE_PATH, document);
  SwaggerModule.setup(REFERENCE_PATH, app, document, {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    ...pageOptions(config),
  });
}

interface Schema {
  $ref?: string;
  properties?: Record<string, { default?: unknown }>;
}

/**
 * Removes the defaults from the schemas of update bodies. In a schema, a default is the value that an absent field
 * gets, but an update leaves absent fields unchanged. Tools that apply defaults would reset the record.
 */
function removeUpdateDefaults({ paths, components }: OpenAPIObject): void {
  for (const { patch, put } of Object.values(paths)) {
    for (const operation of [patch, put]) {
      const content = operation?.requestBody as { content?: Record<string, { schema?: Schema }> } | undefined;
      for (const { schema } of Object.values(content?.content ?? {})) {
        const name = schema?.$ref?.split('/').at(-1);
        const body = name === undefined ? schema : (components?.schemas?.[name] as Schema | undefined);
        Object.values(body?.properties ?? {}).forEach((property) => delete property.default);
      }
    }
  }
}
