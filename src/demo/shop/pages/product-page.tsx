import { renderPage } from '../../../presentation/layout';
import { SHOP_PATH } from '../../demo-items';
import { inEuros, Product } from '../products';
import type { Shop } from '../shop-reader';
import { Newsletter } from './newsletter';
import { Picture } from './picture';
import { ShopLayout } from './shop-layout';

/** One product, and the button that the demo's experiment is about. */
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
            <a class="button add-to-cart" href={`${SHOP_PATH}/checkout?item=${slug}`}>
              Add to cart
            </a>
          </div>
        </article>
        <Newsletter />
      </div>
    </ShopLayout>,
  );
}
