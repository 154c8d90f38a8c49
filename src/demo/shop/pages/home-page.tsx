import { renderPage } from '../../../presentation/layout';
import { inEuros, Product, PRODUCTS } from '../products';
import type { Shop } from '../shop.store';
import { Newsletter, ShopLayout } from './shop-layout';
import { Picture } from './picture';

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
