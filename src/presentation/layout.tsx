import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { STYLESHEET } from './stylesheet';

interface LayoutProps {
  title: string;
  /** The Referrer-Policy. */
  referrer?: 'no-referrer' | 'same-origin';
  /** The script of the page with its CSP nonce; most pages have none. */
  script?: { address: string; nonce: string };
  children: ComponentChildren;
}

/** The common layout of pages. */
export function Layout({ title, referrer = 'no-referrer', script, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow, noarchive" />
        <meta name="referrer" content={referrer} />
        <title>{title}</title>
        <style dangerouslySetInnerHTML={{ __html: STYLESHEET }} />
        {script !== undefined && <script src={script.address} nonce={script.nonce} defer />}
      </head>
      <body>{children}</body>
    </html>
  );
}

/** The text of a whole page. */
export function renderPage(page: Parameters<typeof renderToString>[0]): string {
  return `<!doctype html>\n${renderToString(page)}`;
}
