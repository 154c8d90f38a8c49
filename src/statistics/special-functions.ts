/*
 * The special functions that the statistics use. The build bundles them into one file, so the server does not depend on
 * the two hundred packages that contain them.
 */
export { default as betainc } from '@stdlib/math-base-special-betainc';
export { default as erfc } from '@stdlib/math-base-special-erfc';
export { default as erfcinv } from '@stdlib/math-base-special-erfcinv';
export { default as gammainc } from '@stdlib/math-base-special-gammainc';
export { default as tCdf } from '@stdlib/stats-base-dists-t-cdf';
export { default as tQuantile } from '@stdlib/stats-base-dists-t-quantile';
