import type { OpenAPIObject } from '@nestjs/swagger';
import { renderPage } from '../../presentation/layout';

interface ListedOperation {
  /** `POST` */
  method: string;
  path: string;
  summary: string;
  /** The URL fragment that Swagger UI uses for the operation, such as `/Goals/createGoal`. */
  link: string;
}

interface TaggedOperations {
  tag: string;
  description: string;
  operations: ListedOperation[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Groups a document's operations by their first tag, in the order of the document's tags. Tags without operations are
 * omitted.
 */
function operationsByTag({ tags = [], paths }: OpenAPIObject): TaggedOperations[] {
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

interface OutlinePageProps {
  document: OpenAPIObject;
  /** The styles for the list and for Swagger UI. */
  styles: { outline: string; reference: string };
  /** URL of the folder that contains Swagger UI's scripts, relative to the page, with a trailing slash. */
  folder: string;
}

const SCRIPTS = ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui-init.js'];

/**
 * The page at `/docs` as the server sends it: a list of all operations, with links to the document. Swagger UI replaces
 * the list once its scripts have run. Without JavaScript, the list remains.
 */
export function renderOutlinePage({ document, styles, folder }: OutlinePageProps): string {
  return renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Gosset API</title>
        <link rel="icon" type="image/png" href={`${folder}favicon-32x32.png`} sizes="32x32" />
        <style dangerouslySetInnerHTML={{ __html: styles.outline }} />
        {SCRIPTS.map((name) => (
          <script key={name} src={`${folder}${name}`} defer />
        ))}
      </head>
      <body>
        <div id="swagger-ui">
          <Outline document={document} folder={folder} />
        </div>
        {/* This is not in the head, so that the browser paints the list without waiting for the style sheet. */}
        <link rel="stylesheet" href={`${folder}swagger-ui.css`} />
        <style dangerouslySetInnerHTML={{ __html: styles.reference }} />
      </body>
    </html>,
  );
}

function Outline({ document, folder }: Omit<OutlinePageProps, 'styles'>) {
  return (
    <main class="gosset-outline">
      <nav class="gosset-bar" aria-label="Gosset">
        <a class="gosset-home" href={folder === './' ? '../' : './'}>
          Gosset
        </a>
        <span class="gosset-documents">
          OpenAPI: <a href={`${folder}openapi.json`}>JSON</a> <a href={`${folder}openapi.yaml`}>YAML</a>
        </span>
      </nav>
      <h1>
        {document.info.title} {document.info.version}
      </h1>
      <p>
        With JavaScript, this page shows parameters, examples and a form to try requests. Without it, the page
        lists the operations. The OpenAPI document has all details.
      </p>
      {operationsByTag(document).map(({ tag, description, operations }) => (
        <section key={tag}>
          <h2>{tag}</h2>
          <p>{description}</p>
          <ul>
            {operations.map(({ method, path, summary, link }) => (
              <li key={link} id={link}>
                <a href={`#${link}`}>{summary}</a>{' '}
                <code>
                  {method} {path}
                </code>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </main>
  );
}
