/* The report of a soak test: a summary, a check that memory and latency stayed flat, and a plot. */

/** Maximum ratios of the last third of the test to the middle third. The first third is the warm-up. */
const MEMORY_RATIO = 1.1;
const LATENCY_RATIO = 1.5;
const WIDTH = 900;
const HEIGHT = 200;
const MARGIN = 60;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** The ratio of the mean in the last third to the mean in the middle third. */
function growth(samples, name) {
  const third = Math.floor(samples.length / 3);
  const values = samples.map((sample) => sample[name]);
  return mean(values.slice(2 * third)) / mean(values.slice(third, 2 * third));
}

export const isFlat = (samples) =>
  growth(samples, 'megabytes') < MEMORY_RATIO && growth(samples, 'median') < LATENCY_RATIO;

export function summaryOf({ name, minutes, load, samples, participants, scene }) {
  const figure = (label, key, unit) =>
    `  ${label.padEnd(22)}${mean(samples.map((sample) => sample[key])).toFixed(1)} ${unit}, ` +
    `largest ${Math.max(...samples.map((sample) => sample[key])).toFixed(1)}, last third / middle third ${growth(samples, key).toFixed(2)}`;
  const failures = [...load.failures].map(([reason, count]) => `  ${count} x ${reason}`);
  return [
    `${name}: ${load.requests} requests in ${minutes} minutes; ${isFlat(samples) ? 'flat' : 'NOT FLAT'}`,
    figure('resident memory', 'megabytes', 'MB'),
    figure('median latency', 'median', 'ms'),
    figure('99th percentile', 'p99', 'ms'),
    `  participants acknowledged ${scene.acknowledged.size}, counted ${participants}`,
    ...(failures.length === 0 ? ['  no request failed'] : failures),
  ].join('\n');
}

function panel(title, values, top) {
  const largest = Math.max(...values) * 1.1 || 1;
  const x = (index) => MARGIN + (index / Math.max(1, values.length - 1)) * (WIDTH - 2 * MARGIN);
  const y = (value) => top + HEIGHT - (value / largest) * HEIGHT;
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return [
    `<text x="${MARGIN}" y="${top - 8}">${title}</text>`,
    `<text x="4" y="${top + 10}">${largest.toFixed(0)}</text><text x="4" y="${top + HEIGHT}">0</text>`,
    `<path d="M${MARGIN},${top} v${HEIGHT} h${WIDTH - 2 * MARGIN}" fill="none" stroke="#999"/>`,
    `<polyline points="${points}" fill="none" stroke="#0b62d6"/>`,
  ].join('\n');
}

/** An SVG image of memory and latency, with one point per second. */
export function plotOf(title, samples) {
  const panels = [
    ['Resident memory, MB', 'megabytes'],
    ['Median latency, ms', 'median'],
    ['99th percentile of latency, ms', 'p99'],
  ];
  const height = 60 + panels.length * (HEIGHT + 50);
  const drawn = panels.map(([label, key], index) =>
    panel(
      label,
      samples.map((sample) => sample[key]),
      70 + index * (HEIGHT + 50),
    ),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#fff"/><text x="${MARGIN}" y="28" font-size="16">${title}</text>
${drawn.join('\n')}
</svg>
`;
}
