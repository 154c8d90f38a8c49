import { runTogether } from '../support/document-run';

/*
 * Readers run several walkthroughs on one server, run one again, and send events again after a time-out. Each run has
 * the same results.
 */

const DEADLINE_MS = 300_000;
const API = 'docs/api.md';
const CONCEPTS = 'docs/concepts.md';
const FIGURES = /"isOriginal":(?:true|false),"participants":1,"conversions":\d+(?:,"totalConversions":\d+)?/g;
const RESULTS: Readonly<Record<string, string[]>> = {
  [API]: [
    '"isOriginal":true,"participants":1,"conversions":0,"totalConversions":0',
    '"isOriginal":false,"participants":1,"conversions":1,"totalConversions":2',
  ],
  [CONCEPTS]: [
    '"isOriginal":true,"participants":1,"conversions":0',
    '"isOriginal":false,"participants":1,"conversions":1',
  ],
};

it.each([[[API, API]], [[API, CONCEPTS, CONCEPTS]]])(
  'the walkthroughs %j have the same results on one server, even if each event is sent twice',
  async (names) => {
    const outputs = await runTogether(names, (commands) => /\/v1\/(?:batch|track)/.test(commands));
    expect(outputs.map((output) => output.match(FIGURES))).toEqual(names.map((name) => RESULTS[name]));
  },
  DEADLINE_MS,
);
