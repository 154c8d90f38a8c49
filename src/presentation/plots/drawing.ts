/** The part of an element that drawing uses; the whole of the browser's types is not needed on the server. */
export interface DrawnElement {
  readonly innerHTML: string;
  readonly textContent: string | null;
  querySelectorAll(selector: string): Iterable<DrawnElement>;
  getAttributeNames(): string[];
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  append(child: DrawnElement): void;
  remove(): void;
}

export interface DrawnDocument {
  createElementNS(namespace: string, name: string): DrawnElement;
}

export type Mark = object;

type MarkOf = (data: Iterable<object>, options: object) => Mark;

/** The part of the plotting library that is used here. */
export interface PlotLibrary {
  plot(options: object): DrawnElement;
  areaY: MarkOf;
  lineY: MarkOf;
  ruleX: MarkOf;
  ruleY: MarkOf;
  dot: MarkOf;
}

/** What plots are drawn with. */
export interface Drawing {
  plot: PlotLibrary;
  document: DrawnDocument;
}

let loading: Promise<Drawing> | null = null;

/** Loads the plotting library when the first plot is drawn, because it would slow down the start of the server. */
export function loadDrawing(): Promise<Drawing> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Drawing> {
  const [plot, { parseHTML }] = await Promise.all([import('@observablehq/plot'), import('linkedom')]);
  const { document } = parseHTML('<!doctype html><html><body></body></html>') as { document: DrawnDocument };
  return { plot: plot as unknown as PlotLibrary, document };
}
