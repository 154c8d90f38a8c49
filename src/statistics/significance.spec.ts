import { alphaOf, significanceFraction } from './multiple-testing';

describe('the significance of a project', () => {
  it.each([
    [95, 0.95, 0.05],
    [99, 0.99, 0.01],
    [90, 0.9, 0.1],
    [99.9, 0.999, 0.001],
    [99.99, 0.9999, 0.0001],
    [97.5, 0.975, 0.025],
    [50, 0.5, 0.5],
  ])('of %d %% is the fraction %d, with an alpha of %d', (percent, fraction, alpha) => {
    expect(significanceFraction(percent)).toBe(fraction);
    expect(alphaOf(percent)).toBe(alpha);
  });
});
