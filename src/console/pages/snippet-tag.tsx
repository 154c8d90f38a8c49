import { CopiedText } from '../../presentation/components/copied-text';

interface SnippetTagProps {
  url: string;
  /** For pages with another main subject. */
  isFolded?: boolean;
}

/** The script tag to install. */
export function SnippetTag({ url, isFolded = false }: SnippetTagProps) {
  const heading = <h2 id="snippet">Install the snippet</h2>;
  return (
    <section class="card stack" aria-labelledby="snippet">
      {isFolded ? (
        <details class="printed-open">
          <summary>{heading}</summary>
          <Tag url={url} />
        </details>
      ) : (
        <>
          {heading}
          <Tag url={url} />
        </>
      )}
    </section>
  );
}

function Tag({ url }: Pick<SnippetTagProps, 'url'>) {
  return (
    <>
      <p class="muted">
        This tag runs all experiments of the project. Put it first in the <code>{'<head>'}</code> of every
        page.
      </p>
      <CopiedText id="snippet-tag" label="HTML">
        {`<script src="${url}"></script>`}
      </CopiedText>
    </>
  );
}
