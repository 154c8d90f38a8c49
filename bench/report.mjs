/* The format of printed figures. */

const LABEL = 70;

const line = (label, ours, bare, ratio, verdict) =>
  console.log(`${label.padEnd(LABEL)}${ours.padStart(9)}${bare.padStart(9)}${ratio.padStart(8)}  ${verdict}`);

export function printHeadline(title, unit) {
  console.log(`\n${title}`);
  line(unit, 'server', 'bare', 'ratio', 'goal');
}

/** Prints the rates of the server and its bare counterpart, and their ratio. `goal` is the required ratio, or null. */
export function printRatio(label, goal, { server, bare }) {
  const ratio = server / bare;
  const verdict = goal === null ? '' : `${goal} ${ratio >= goal ? 'reached' : 'MISSED'}`;
  line(label, server.toFixed(0), bare.toFixed(0), ratio.toFixed(2), verdict);
}

/** Prints a figure that has no bare counterpart. */
export const printFigure = (label, value, verdict = '') => line(label, value, '', '', verdict);

export const printMemory = (label, megabytes, limit) =>
  printFigure(label, `${megabytes} MB`, `${limit} MB ${megabytes < limit ? 'reached' : 'MISSED'}`);
