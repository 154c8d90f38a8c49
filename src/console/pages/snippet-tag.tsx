import { CopiedText } from '../../presentation/components/copied-text';

/** The script tag to install. */
export function SnippetTag({ url }: { url: string }) {
  return (
    <section class="card stack" aria-labelledby="snippet">
      <h2 id="snippet">Install the snippet</h2>
      <p class="muted">
        This tag runs all experiments of the project. Put it first in the <code>{'<head>'}</code> of every
        page.
      </p>
      <CopiedText id="snippet-tag" label="HTML">
        {`<script src="${url}"></script>`}
      </CopiedText>
    </section>
  );
}
