/*
 * The special functions used by the statistics. The build bundles them into one file, so that the server does not
 * depend on the two hundred packages they consist of.
 */
export { default as betainc } from '@stdlib/math-base-special-betainc';
export { default as erfc } from '@stdlib/math-base-special-erfc';
export { default as erfcinv } from '@stdlib/math-base-special-erfcinv';
export { default as gammainc } from '@stdlib/math-base-special-gammainc';
export { default as tCdf } from '@stdlib/stats-base-dists-t-cdf';
export { default as tQuantile } from '@stdlib/stats-base-dists-t-quantile';
