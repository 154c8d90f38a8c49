import type { ComponentChildren, JSX } from 'preact';
import { renderPage } from '../../presentation/layout';
import { Newsletter, ShopLayout } from './pages/shop-layout';
import { inEuros, Product, PRODUCTS } from './products';
import type { Shop } from './shop.store';

const DRAWINGS: Record<Product['slug'], JSX.Element> = {
  'tea-pot': (
    <>
      <path class="line" d="M146 76c34-8 44 40-4 44" />
      <path class="clay" d="M62 92 30 68c-6-4-12 2-8 8l36 46z" />
      <path class="clay" d="M100 56c38 0 54 24 54 46 0 26-22 42-54 42s-54-16-54-42c0-22 16-46 54-46z" />
      <path class="glaze" d="M72 62c16-12 40-12 56 0z" />
      <circle class="glaze" cx="100" cy="46" r="8" />
    </>
  ),
  cups: (
    <>
      <path class="line" d="M92 88c22-4 22 28-6 28M168 88c22-4 22 28-6 28" />
      <path class="porcelain" d="M28 76h66c0 36-10 58-33 58s-33-22-33-58z" />
      <path class="glaze" d="M104 76h66c0 36-10 58-33 58s-33-22-33-58z" />
      <path
        class="steam"
        d="M50 62c-6-10 8-14 2-26M72 62c-6-10 8-14 2-26M126 62c-6-10 8-14 2-26M148 62c-6-10 8-14 2-26"
      />
    </>
  ),
  'garden-blend': (
    <>
      <rect class="leaf" x="58" y="52" width="84" height="94" rx="6" />
      <rect class="glaze" x="54" y="38" width="92" height="20" rx="5" />
      <circle class="porcelain" cx="100" cy="100" r="28" />
      <path class="leaf" d="M100 82c16 10 16 26 0 38-16-12-16-28 0-38z" />
    </>
  ),
  kettle: (
    <>
      <path class="line" d="M62 70c0-46 76-46 76 0" />
      <path class="steel" d="M140 96l30-22c6-4 10 2 8 8l-28 44z" />
      <path class="steel" d="M66 68h68c16 22 22 48 22 76H44c0-28 6-54 22-76z" />
      <circle class="porcelain" cx="100" cy="64" r="14" />
      <path class="line thin" d="M100 64l6-7" />
    </>
  ),
};

/** An image of a product. It is decorative, because the product's name is next to it. */
function Picture({ of: slug }: { of: Product['slug'] }) {
  return (
    <svg class="picture" viewBox="0 0 200 170" aria-hidden="true" focusable="false">
      {DRAWINGS[slug]}
    </svg>
  );
}

/** The overview of all products. */
export function renderHomePage(shop: Shop): string {
  return renderPage(
    <ShopLayout shop={shop} title="Everything for tea">
      <p class="delivery-banner">Free delivery, whatever you buy.</p>
      <h1>Everything for tea</h1>
      <div class="with-side">
        <ul class="products">
          {PRODUCTS.map((product) => (
            <Card key={product.slug} product={product} />
          ))}
        </ul>
        <Newsletter />
      </div>
    </ShopLayout>,
  );
}

function Card({ product: { slug, name, summary, price } }: { product: Product }) {
  return (
    <li class="card">
      <Picture of={slug} />
      <h2>
        <a href={`/products/${slug}`}>{name}</a>
      </h2>
      <p class="muted">{summary}</p>
      <p class="price">{inEuros(price)}</p>
    </li>
  );
}

/** One product, with the button of the demo experiment. */
export function renderProductPage(shop: Shop, { slug, name, summary, description, price }: Product): string {
  return renderPage(
    <ShopLayout shop={shop} title={name}>
      <div class="with-side">
        <article class="product">
          <Picture of={slug} />
          <div class="facts">
            <h1>{name}</h1>
            <p class="muted">{summary}</p>
            <p>{description}</p>
            <p class="price">{inEuros(price)}</p>
            <a class="button add-to-cart" href={`/checkout?item=${slug}`}>
              Add to cart
            </a>
          </div>
        </article>
        <Newsletter />
      </div>
    </ShopLayout>,
  );
}

/**
 * The checkout. The shop's script sends orders to the server; without scripts, the form just shows the thank-you page.
 */
export function renderCheckoutPage(shop: Shop, product: Product | undefined, isBought: boolean): string {
  return renderPage(
    <ShopLayout shop={shop} title="Checkout">
      <h1>Checkout</h1>
      {product === undefined ? <EmptyCart /> : <Order product={product} isBought={isBought} />}
    </ShopLayout>,
  );
}

function EmptyCart() {
  return (
    <p>
      The cart is empty. <a href="/">Choose something</a>
    </p>
  );
}

function Order({ product, isBought }: { product: Product; isBought: boolean }) {
  return (
    <>
      {!isBought && <CheckoutForm product={product} />}
      <section class="thanks" tabIndex={-1} hidden={!isBought} aria-labelledby="thanks">
        <h2 id="thanks">Thank you</h2>
        <p>
          Your order: {product.name.toLowerCase()} at {inEuros(product.price)}. Nothing will be sent, and
          there is nothing to pay, because this shop is a demonstration.
        </p>
        <p>
          <a href="/">Back to the shop</a>
        </p>
      </section>
    </>
  );
}

function CheckoutForm({ product: { slug, name, price } }: { product: Product }) {
  return (
    <form class="checkout" action="/checkout" data-total={price.toFixed(2)}>
      <input type="hidden" name="item" value={slug} />
      <p class="item">
        <span>{name}</span>
        <span class="price">{inEuros(price)}</span>
      </p>
      <Step title="Address">
        <p>W. S. Gosset, St James’s Gate, Dublin. We already know it: there is nothing to fill in.</p>
      </Step>
      <Step title="Delivery">
        <p>By post in two days, free.</p>
      </Step>
      <Step title="Payment">
        <p>By invoice, some day.</p>
        <button class="button buy" name="bought" value="yes">
          Buy for {inEuros(price)}
        </button>
      </Step>
      <button class="button next-step" type="button">
        Next step
      </button>
    </form>
  );
}

function Step({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="step">
      <h2 tabIndex={-1}>{title}</h2>
      {children}
    </section>
  );
}

/** The page for addresses that do not exist. */
export function renderNotFoundPage(shop: Shop): string {
  return renderPage(
    <ShopLayout shop={shop} title="Page not found">
      <h1>Page not found</h1>
      <p>
        The shop has no page at this address. <a href="/">See everything for tea</a>
      </p>
    </ShopLayout>,
  );
}
