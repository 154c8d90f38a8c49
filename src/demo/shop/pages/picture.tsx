import type { JSX } from 'preact';
import type { Product } from '../products';

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

/** A decorative picture of a product; its name is next to it. */
export function Picture({ of: slug }: { of: Product['slug'] }) {
  return (
    <svg class="picture" viewBox="0 0 200 170" aria-hidden="true" focusable="false">
      {DRAWINGS[slug]}
    </svg>
  );
}
