/** A product that the shop pretends to sell. */
export interface Product {
  /** The last part of the product's URL, and the name of its image. */
  slug: 'tea-pot' | 'cups' | 'garden-blend' | 'kettle';
  name: string;
  /** The text under the name. */
  summary: string;
  description: string;
  /** In euros. */
  price: number;
}

export const PRODUCTS: readonly Product[] = [
  {
    slug: 'tea-pot',
    name: 'Tea pot',
    summary: 'Stoneware, one litre',
    description: 'Thrown by hand and glazed inside. It pours to the last drop without spilling any.',
    price: 38,
  },
  {
    slug: 'cups',
    name: 'Two cups',
    summary: 'Porcelain, a quarter of a litre each',
    description: 'Thin at the rim and thick at the foot, so that the tea stays hot and the fingers do not.',
    price: 24,
  },
  {
    slug: 'garden-blend',
    name: 'Garden blend',
    summary: 'Green tea with mint, 100 grams',
    description: 'First flush from two gardens, with peppermint and the petals of cornflowers.',
    price: 12.5,
  },
  {
    slug: 'kettle',
    name: 'Kettle',
    summary: 'Steel, with a thermometer',
    description: 'For every kind of cooker. The thermometer in its lid knows when green tea has had enough.',
    price: 59,
  },
];

export const findProduct = (slug: unknown): Product | undefined =>
  PRODUCTS.find((product) => product.slug === slug);

/** A formatted price. */
export const inEuros = (price: number): string => `€${price.toFixed(2)}`;
