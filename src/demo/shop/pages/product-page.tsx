import { renderPage } from '../../../presentation/layout';
import { inEuros, Product } from '../products';
import type { Shop } from '../shop.store';
import { Newsletter, ShopLayout } from './shop-layout';
import { Picture } from './picture';

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
