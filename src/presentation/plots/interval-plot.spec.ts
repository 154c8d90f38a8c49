import { parseHTML } from 'linkedom';
import { DARK, LIGHT } from '../styles/palette';
import { drawIntervals, MULTIPLE, PlotOptions, SINGLE } from './interval-plot';
import { Point, Series, seriesLooks, thinned } from './series';

const FIRST = 20_574;

const point = (day: number, value: number | null): Point => ({
  day: FIRST + day,
  value,
  interval: value === null ? null : [value - 0.02 / (day + 1), value + 0.02 / (day + 1)],
});

function seriesOf(days: number, count = 2): Series[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    name: `Variation ${id}`,
    isReference: id === 0,
    points: Array.from({ length: days }, (__, day) => point(day, 0.07 + id / 100)),
  }));
}

function draw(series: readonly Series[], options: Partial<PlotOptions> = {}): string | null {
  const looks = seriesLooks(series);
  const all = { size: SINGLE, looks, format: (value: number) => `${value}`, hasZero: false, ...options };
  return drawIntervals(series, all)?.markup ?? null;
}

const parsed = (markup: string | null) =>
  parseHTML(`<html><body><svg>${markup ?? ''}</svg></body></html>`).document as unknown as ParentNode;

interface ParentNode {
  querySelectorAll(
    selector: string,
  ): Iterable<ParentNode & { textContent: string; getAttribute(name: string): string }>;
}

const texts = (markup: string | null): string[] =>
  [...parsed(markup).querySelectorAll('text')].map(({ textContent }) => textContent);

describe('a plot', () => {
  it.each([1, 2, 12, 400])('of %i days has a line, an interval and axes', (days) => {
    const markup = draw(seriesOf(days));
    const paths = [...parsed(markup).querySelectorAll('path, line')];
    const colors = paths.map((path) => path.getAttribute('stroke') ?? path.getAttribute('fill'));
    expect(markup).toContain('var(--series-0)');
    expect(markup).toContain('var(--series-1)');
    expect(colors.length).toBeGreaterThan(2);
    expect(texts(markup).length).toBeGreaterThanOrEqual(3);
    expect(markup).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('labels the days', () => {
    expect(texts(draw(seriesOf(12)))).toEqual(expect.arrayContaining(['1 May', '5 May', '9 May']));
    expect(texts(draw(seriesOf(1)))).toContain('1 May');
    expect(texts(draw(seriesOf(400)))).toEqual(expect.arrayContaining(['May 26', 'Jan 27']));
    expect(texts(draw(seriesOf(12), { size: MULTIPLE }))).toEqual(expect.arrayContaining(['7 May']));
  });

  it('makes room for long labels', () => {
    const gridStart = (label: string): number => {
      const markup = draw(seriesOf(3), { format: () => label });
      return Math.min(...[...(markup ?? '').matchAll(/x1="(\d+\.?\d*)"/g)].map(([, start]) => Number(start)));
    };
    expect(gridStart('+20 %')).toBe(58);
    expect(gridStart('+10 000 %')).toBe(91);
  });

  it('is well-formed, without styles, classes, labels or scripts', () => {
    const markup = draw(seriesOf(12)) ?? '';
    expect(markup).not.toMatch(/style|aria-|class=|script/);
    const tags = [...markup.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)];
    const open: string[] = [];
    for (const [, closing, name = '', empty] of tags) {
      if (closing === '/') {
        expect(open.pop()).toBe(name);
      } else if (empty !== '/') {
        open.push(name);
      }
    }
    expect([open, tags.length > 10]).toEqual([[], true]);
  });

  it('contains no names', () => {
    const series = seriesOf(3).map((one) => ({ ...one, name: '<script>alert(1)</script>' }));
    expect(draw(series)).not.toContain('alert');
  });

  it('is omitted if there are no figures', () => {
    expect(draw([])).toBeNull();
    expect(draw(seriesOf(0))).toBeNull();
    const empty = seriesOf(3).map((one) => ({ ...one, points: [point(0, null), point(1, null)] }));
    expect(draw(empty)).toBeNull();
  });

  it('leaves gaps where figures are missing', () => {
    const [one] = seriesOf(5);
    const points = one.points.map((own, day) => (day === 2 ? point(2, null) : own));
    const lines = draw([{ ...one, points }])?.match(/d="M[^"]*M[^"]*"/g) ?? [];
    expect(lines.length).toBeGreaterThan(0);
  });

  it('keeps the positions of the first days, clipped at its frame', () => {
    const values = [0.3, 0.1, 0.11];
    const points = values.map((value, day) => ({
      ...point(day, value),
      interval: [value - 0.3, value] as const,
    }));
    const series = [{ id: 1, name: 'A', isReference: false, points }];
    const cut = [...parsed(draw(series, { domain: [0, 0.12] })).querySelectorAll('svg[overflow="hidden"]')];
    const frames = cut.map((one) => ['y', 'height', 'viewBox'].map((name) => one.getAttribute(name)));
    expect(frames).toEqual(Array(2).fill(['14', '202', '0 14 400 202']));
    const [band, line] = cut.map((one) => [...one.querySelectorAll('path')][0].getAttribute('d'));
    // In pixels: zero is at 216, and 0.12 is 202 above it.
    expect(line).toMatch(/^M58,-289L217,47\.7L376,30\.8$/);
    expect(band).toMatch(/^M58,-289L217,47\.7L376,30\.8L376,535\.8/);
  });

  it('has a line at zero if zero separates better from worse', () => {
    expect(draw(seriesOf(3), { hasZero: true })).toContain('var(--zero)');
    expect(draw(seriesOf(3))).not.toContain('var(--zero)');
  });

  it('stays small for any duration', () => {
    expect(draw(seriesOf(400))?.length).toBeLessThan(25_000);
  });
});

describe('series styles', () => {
  it('differ in colour, dashes and symbol within a plot', () => {
    const looks = [...seriesLooks(seriesOf(1, 5)).values()];
    for (const key of ['color', 'symbol'] as const) {
      expect(new Set(looks.map((look) => look[key])).size).toBe(5);
    }
    expect(new Set(looks.slice(1).map(({ dashes }) => dashes)).size).toBe(4);
  });

  it('differ for eight variations, and repeat after that', () => {
    const [reference, ...others] = seriesLooks(seriesOf(1, 20)).values();
    for (const key of ['color', 'symbol', 'dashes'] as const) {
      expect(new Set(others.slice(0, 7).map((look) => look[key])).size).toBe(7);
    }
    expect(others[7]).toEqual(others[0]);
    expect(reference.color).toBe('var(--series-0)');
  });

  it.each([
    ['light', LIGHT],
    ['dark', DARK],
  ])('have enough contrast with the background in %s mode', (_, colours) => {
    for (let index = 0; index <= 7; index += 1) {
      const colour = colours[`series-${index}` as keyof typeof LIGHT];
      expect([index, contrast(colour, colours.surface) >= 3]).toEqual([index, true]);
    }
  });

  /** The WCAG contrast ratio. */
  function contrast(...colours: [string, string]): number {
    const [dark, bright] = colours.map(luminance).sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  }

  function luminance(colour: string): number {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
});

describe('thinning', () => {
  it.each([
    [[1, 2, 3], 3, [1, 2, 3]],
    [[1, 2, 3, 4, 5], 3, [1, 3, 5]],
    [[1, 2, 3, 4, 5, 6], 3, [2, 4, 6]],
    [[], 3, []],
  ])('of %j to at most %i entries', (entries, most, expected) => {
    expect(thinned(entries, most)).toEqual(expected);
  });
});
