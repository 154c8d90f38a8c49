const HALVINGS = 60;

/** The smallest number in an interval that meets a monotone condition, by bisection; `high` if no smaller one does. */
export function smallestThat(
  low: number,
  high: number,
  holds: (x: number) => boolean,
  halvings = HALVINGS,
): number {
  let [below, above] = [low, high];
  for (let halving = 0; halving < halvings; halving += 1) {
    const middle = (below + above) / 2;
    [below, above] = holds(middle) ? [below, middle] : [middle, above];
  }
  return above;
}
