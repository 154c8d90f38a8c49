import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Config } from '../config/config';
import { CLIENT_KEY_SCHEMES } from '../common/openapi/client-key';
import { collectionPaths } from '../events/collection.reference';
import { deliveryPaths } from '../publishing/delivery.reference';

const DESCRIPTION = `
The API of Gosset, a self-hosted server for A/B experiments.

Every request carries \`Authorization: Bearer <token>\`. A token is made in personal settings or with the admin
command. Reading needs a token with the ability \`read\`, everything else one with \`write\`; what a user may do in a
team is decided by the role there.

There is no list of all projects: read the teams first, then the projects of each.

What sites and their back ends call (snippets, decisions, collection) takes a project's public client key instead.
`.trim();

/** The parts of paths that vary are ids, where nothing else is said. */
const pathId = (name: string) => ({
  name,
  in: 'path' as const,
  required: true,
  description: `Id of the ${name}.`,
  schema: { type: 'integer', minimum: 1 },
});

/** The OpenAPI 3.1 document of the whole API. */
export function buildDocument(app: INestApplication, config: Config): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Gosset')
    .setDescription(DESCRIPTION)
    .setVersion('1.0.0')
    .setOpenAPIVersion('3.1.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(config.publicUrl)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API token, gos_...' });
  for (const [name, scheme] of Object.entries(CLIENT_KEY_SCHEMES)) {
    builder.addSecurity(name, scheme);
  }
  const document = SwaggerModule.createDocument(app, builder.build());
  Object.assign(document.paths, collectionPaths, deliveryPaths);
  for (const [path, item] of Object.entries(document.paths)) {
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathId(name));
    if (parameters.length > 0) {
      item.parameters ??= parameters;
    }
  }
  return document;
}

/** Serves the interactive reference at `/docs`, built when it is first asked for. */
export function setUpReference(app: INestApplication, config: Config): void {
  SwaggerModule.setup('docs', app, () => buildDocument(app, config), {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    customSiteTitle: 'Gosset API',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, docExpansion: 'none' },
  });
}
