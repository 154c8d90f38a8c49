import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { STYLESHEET } from './stylesheet';

/** The preview of a page that chat tools show. */
export interface LinkPreview {
  title: string;
  description: string;
  /** The absolute URL of an image of 1,200 by 630 pixels. */
  image: string;
}

interface LayoutProps {
  title: string;
  /** The Referrer-Policy. */
  referrer?: 'no-referrer' | 'same-origin' | 'strict-origin';
  /** Prefix of the server's paths. */
  base?: string;
  /** The preview for links to the page; most pages have no preview. */
  preview?: LinkPreview;
  /** The page's script and its CSP nonce; most pages have no script. */
  script?: { address: string; nonce: string };
  children: ComponentChildren;
}

/** The common layout of pages. */
export function Layout({
  title,
  referrer = 'no-referrer',
  base = '',
  preview,
  script,
  children,
}: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow, noarchive" />
        <meta name="referrer" content={referrer} />
        <title>{title}</title>
        <link rel="icon" type="image/svg+xml" href={`${base}/assets/favicon.svg`} />
        {preview !== undefined && <Preview {...preview} />}
        <style dangerouslySetInnerHTML={{ __html: STYLESHEET }} />
        {script !== undefined && <script src={script.address} nonce={script.nonce} defer />}
      </head>
      <body>{children}</body>
    </html>
  );
}

function Preview({ title, description, image }: LinkPreview) {
  return (
    <>
      <meta name="description" content={description} />
      <meta property="og:site_name" content="Gosset" />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:image" content={image} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}

/** The HTML of a whole page. */
export function renderPage(page: Parameters<typeof renderToString>[0]): string {
  return `<!doctype html>\n${renderToString(page)}`;
}
