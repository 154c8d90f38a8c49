import type { ComponentChildren } from 'preact';
import { renderPage } from '../../../presentation/layout';
import { inEuros, Product } from '../products';
import type { Shop } from '../shop.store';
import { ShopLayout } from './shop-layout';

/**
 * The checkout. The shop's script sends orders to the server; without scripts the form only shows the thank-you page.
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
          For {product.name.toLowerCase()} at {inEuros(product.price)}. Nothing will be sent and nothing has
          to be paid, because this shop is a demonstration.
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
