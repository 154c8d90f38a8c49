import { jsxTemplate } from 'preact/jsx-runtime';
import { formatTimestamp } from '../text/dates';
import { plainName } from '../text/words';

/** A user-defined name, isolated for bidirectional text and wrapped if it is too long. */
export function Name({ children }: { children: string }) {
  return <bdi class="name">{plainName(children)}</bdi>;
}

/** The content of a textarea for this text. Browsers drop a line break immediately after the opening tag. */
export const inTextArea = (text: string): string => (/^\r?\n/.test(text) ? `\n${text}` : text);

/** A time, given as an ISO 8601 timestamp. */
export function Moment({ at }: { at: string }) {
  return <time datetime={at}>{formatTimestamp(at)}</time>;
}

/** A dash instead of a missing figure, with the reason for screen readers. */
export function None({ reason = 'none' }: { reason?: string }) {
  return (
    <span class="muted">
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">{reason}</span>
    </span>
  );
}

interface RangeProps {
  /** Null if the uncertainty of the figure is unknown. */
  range: readonly [lower: number, upper: number] | null;
  format: (range: readonly [number, number]) => string;
}

/** A figure's range, or a dash if there is none. */
export function Range({ range, format }: RangeProps) {
  return range === null ? <None reason="range not known yet" /> : <>{format(range)}</>;
}

/** Rendered markup, inserted without an element around it. */
export const Markup = ({ html }: { html: string }) => jsxTemplate([html]);
