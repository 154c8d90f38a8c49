/* Parses metrics in the format of `/metrics`, and applies the rules of `promtool check metrics`. */

export interface Metric {
  name: string;
  help: string;
  type: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const LINE = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;

function labelsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
}

/** @throws Error for an invalid line */
export function metricsIn(text: string): Metric[] {
  const metrics: Metric[] = [];
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      metrics.push({ name, help: rest, type: '', samples: [] });
      continue;
    }
    const metric = metrics.at(-1);
    const sample = LINE.exec(line)?.groups;
    if (metric === undefined || (kind === undefined && sample === undefined)) {
      throw new Error(`Not a line of metrics: ${line}`);
    }
    if (sample === undefined) {
      metric.type = rest;
    } else {
      const { name: own = '', labels = '', value } = sample;
      metric.samples.push({ name: own, labels: labelsOf(labels), value: Number(value) });
    }
  }
  return metrics;
}

/** The value of a metric with these labels, summed over the values of all other labels. */
export function valueOf(
  metrics: readonly Metric[],
  name: string,
  labels: Record<string, string> = {},
): number {
  const samples = metrics.flatMap((metric) => metric.samples).filter((sample) => sample.name === name);
  const isAsked = (own: Record<string, string>): boolean =>
    Object.entries(labels).every(([label, value]) => own[label] === value);
  return samples.filter((sample) => isAsked(sample.labels)).reduce((sum, { value }) => sum + value, 0);
}

const BASE_UNITS = [
  'milliseconds',
  'microseconds',
  'minutes',
  'hours',
  'kilobytes',
  'megabytes',
  'kibibytes',
  'percent',
];
const TYPES = ['counter', 'gauge', 'histogram', 'summary'];
const ABBREVIATED = ['s', 'ms', 'us', 'ns', 'sec', 'b', 'kb', 'mb', 'm', 'h', 'd'];

/** The problems that `promtool check metrics` would report for a metric. */
export function complaintsOf({ name, help, type, samples }: Metric): string[] {
  const words = name.split('_');
  const labels = samples.flatMap((sample) => Object.keys(sample.labels));
  const isDistribution = type === 'histogram' || type === 'summary';
  const rules: [boolean, string][] = [
    [help === '', 'no help text'],
    [!TYPES.includes(type), `metric type ${type}`],
    [type === 'counter' && !name.endsWith('_total'), 'counter metrics should have "_total" suffix'],
    [type !== 'counter' && name.endsWith('_total'), 'non-counter metrics should not have "_total" suffix'],
    [!isDistribution && /_(?:count|sum|bucket)$/.test(name), 'reserved suffix'],
    [type !== 'histogram' && labels.includes('le'), 'non-histogram metrics should not have "le" label'],
    [
      type !== 'summary' && labels.includes('quantile'),
      'non-summary metrics should not have "quantile" label',
    ],
    [words.some((word) => TYPES.includes(word)), 'metric name should not include type'],
    [words.some((word) => BASE_UNITS.includes(word)), 'use base unit'],
    [words.some((word) => ABBREVIATED.includes(word)), 'metric names should not contain abbreviated units'],
    [/[A-Z]|:/.test(name), "metric names should be written in 'snake_case'"],
    [labels.some((label) => /[A-Z]/.test(label)), "label names should be written in 'snake_case'"],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, complaint]) => `${name}: ${complaint}`);
}
