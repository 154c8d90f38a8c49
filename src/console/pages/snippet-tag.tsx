import { CopiedText } from '../../presentation/components/copied-text';

/** How the snippet gets on the site. */
export function SnippetTag({ url }: { url: string }) {
  return (
    <section class="card stack" aria-labelledby="snippet">
      <h2 id="snippet">The snippet for the site</h2>
      <p class="muted">
        One tag for all experiments of the project. Put it first in the head of every page of the site.
      </p>
      <CopiedText id="snippet-tag" label="HTML">
        {`<script src="${url}"></script>`}
      </CopiedText>
    </section>
  );
}
