import type { DrawnDocument, DrawnElement } from './drawing';

const SVG = 'http://www.w3.org/2000/svg';

/** What the plotting library says of the plot that a mark is drawn in. */
interface Dimensions {
  width: number;
  height: number;
  marginTop: number;
  marginBottom: number;
}

type Draw = (
  index: unknown,
  scales: unknown,
  values: unknown,
  dimensions: Dimensions,
  context: { document: DrawnDocument },
) => DrawnElement;

/**
 * Draws a mark without what lies above or below the frame. An image within the image cuts it: a clip path would need
 * a name that is unique on the page, and a reference to it that not all who show images follow.
 */
export function cutAtFrame(
  ...[index, scales, values, dimensions, context, draw]: [...Parameters<Draw>, Draw]
) {
  const { width, height, marginTop, marginBottom } = dimensions;
  const frame = context.document.createElementNS(SVG, 'svg');
  const inner = height - marginTop - marginBottom;
  const attributes = { y: marginTop, width, height: inner, viewBox: `0 ${marginTop} ${width} ${inner}` };
  for (const [name, value] of Object.entries({ ...attributes, overflow: 'hidden' })) {
    frame.setAttribute(name, String(value));
  }
  frame.append(draw(index, scales, values, dimensions, context));
  return frame;
}
