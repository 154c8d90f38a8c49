import { traceOf, traceResponse } from './trace-context';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

it.each([
  [`00-${TRACE}-${PARENT}-01`, true],
  [`00-${TRACE}-${PARENT}-00`, false],
  [`00-${TRACE}-${PARENT}-03`, true],
  [`01-${TRACE}-${PARENT}-01-later`, true],
])('continues %s', (header, isSampled) => {
  const context = traceOf(header);
  expect(context).toMatchObject({ traceId: TRACE, parentId: PARENT, isSampled });
  expect(context.spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(context.spanId).not.toBe(PARENT);
  expect(traceResponse(context)).toBe(`00-${TRACE}-${context.spanId}-0${isSampled ? 1 : 0}`);
});

it.each([
  undefined,
  '',
  'x',
  ['a', 'b'],
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-${PARENT}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-011`,
  ` 00-${TRACE}-${PARENT}-01`,
])('starts a trace if the header is %p', (header) => {
  const [one, two] = [traceOf(header), traceOf(header)];
  expect(one).toMatchObject({ parentId: null, isSampled: true });
  expect(one.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set([one.traceId, two.traceId, TRACE]).size).toBe(3);
});
