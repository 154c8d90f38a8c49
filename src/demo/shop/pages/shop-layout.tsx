import type { ComponentChildren } from 'preact';
import { Name } from '../../../presentation/components/text';
import type { Shop, ShownExperiment } from '../shop.store';

/** A newsletter form that requires scripts and does nothing but trigger the goal. */
export function Newsletter() {
  return (
    <section class="newsletter" aria-labelledby="newsletter">
      <h2 id="newsletter">News about tea</h2>
      <p>Once a month: what is in bloom, and what is in the pot.</p>
      <button class="button subscribe" type="button">
        Subscribe
      </button>
    </section>
  );
}

interface ShopLayoutProps {
  shop: Shop;
  title: string;
  children: ComponentChildren;
}

/** The layout of the shop's pages. The snippet loads first, so its changes are made before the first paint. */
export function ShopLayout({ shop, title, children }: ShopLayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow, noarchive" />
        <title>{`${title} – Tea Shop`}</title>
        <script src={shop.snippetUrl} />
        <link rel="stylesheet" href="/shop.css" />
        <link rel="icon" href="data:," />
        <script src="/shop.js" defer />
      </head>
      <body>
        <header class="top">
          <a class="brand" href="/">
            Tea Shop
          </a>
          <nav aria-label="Shop">
            <a href="/checkout">Cart</a>
          </nav>
        </header>
        <main>{children}</main>
        <footer>
          <About shop={shop} />
        </footer>
      </body>
    </html>
  );
}

function About({ shop: { snippetUrl, experiment } }: { shop: Shop }) {
  return (
    <section class="about" aria-labelledby="about">
      <h2 id="about">What this is</h2>
      <p>
        A shop that sells nothing: it comes with Gosset, the server for A/B experiments that sent you this
        page. <a href={snippetUrl}>One script</a> in the head of its pages shows you a variation and counts
        what you do. An id in this browser decides which one, and it stays the same when you come back; a
        private window counts as another visitor.
      </p>
      {experiment !== null && <Experiment {...experiment} />}
    </section>
  );
}

function Experiment({ name, resultsUrl, previews }: ShownExperiment) {
  return (
    <>
      <p>
        The experiment on the product pages: <Name>{name}</Name>. Put something in the cart and buy it
        {resultsUrl === null ? (
          '. Its results are not shared.'
        ) : (
          <>
            , and look at <a href={resultsUrl}>its results</a> a few seconds later.
          </>
        )}
      </p>
      {previews.length > 0 && (
        <p>
          Preview its variations (not counted):{' '}
          {previews.map((preview, index) => (
            <span key={preview.url}>
              {index > 0 && ', '}
              <a href={preview.url}>
                <Name>{preview.name}</Name>
              </a>
            </span>
          ))}
          .
        </p>
      )}
    </>
  );
}
