import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { STYLESHEET } from './stylesheet';

interface LayoutProps {
  title: string;
  children: ComponentChildren;
}

/** What all pages share. There is no script on any of them. */
export function Layout({ title, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow, noarchive" />
        <meta name="referrer" content="no-referrer" />
        <title>{title}</title>
        <style dangerouslySetInnerHTML={{ __html: STYLESHEET }} />
      </head>
      <body>{children}</body>
    </html>
  );
}

/** The text of a whole page. */
export function renderPage(page: Parameters<typeof renderToString>[0]): string {
  return `<!doctype html>\n${renderToString(page)}`;
}
