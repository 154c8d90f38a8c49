import { placesOf } from './sparkline';

const series = (values: readonly (number | null)[], id = 1) => ({
  id,
  name: `Series ${id}`,
  isReference: false,
  points: values.map((value, day) => ({ day, value, interval: null })),
});

describe('placesOf', () => {
  it('places points from left to right, higher for larger values', () => {
    const [{ places }] = placesOf([series([1, 2, 3])]);
    expect(places.map(({ x }) => x)).toEqual([4, 72, 140]);
    const heights = places.map(({ y }) => y);
    expect([...heights].sort((a, b) => b - a)).toEqual(heights);
  });

  it('scales all series to the same days and values', () => {
    const [one, other] = placesOf([series([null, null, 1, 1]), series([0, 0, 0, 1], 2)]);
    expect(one.places.map(({ x }) => x)).toEqual(other.places.slice(2).map(({ x }) => x));
    expect(one.places.at(-1)).toEqual(other.places.at(-1));
  });

  it('centres a single day', () => {
    const [{ places }] = placesOf([series([5])]);
    expect(places).toEqual([{ x: 72, y: 20 }]);
  });

  it('keeps the positions of the first days, even outside the frame', () => {
    const [{ places }] = placesOf([series([13, 1, 3, 1, 3, 1, 3, 1, 3])]);
    const later = places.slice(1);
    expect(later.every(({ x, y }) => x >= 4 && x <= 140 && y >= 4 && y <= 36)).toBe(true);
    // The distance from 13 to 3 is five times the distance from 3 to 1.
    const [, one, three] = places;
    expect(Math.abs(three.y - places[0].y - 5 * (one.y - three.y))).toBeLessThan(0.5);
  });

  it('returns a limited number of points, including the last one', () => {
    const [{ places }] = placesOf([series(Array.from({ length: 365 }, (_, day) => day))]);
    expect(places.length).toBeLessThanOrEqual(60);
    expect(places.at(-1)?.x).toBe(140);
  });

  it('is empty without figures', () => expect(placesOf([series([null])])).toEqual([{ id: 1, places: [] }]));
});
