import fc from 'fast-check';
import { decideLinks, KnownLinks, MAX_LINKED_IDS } from './link-decisions';
import type { LinkRequest } from './link-request';

const NOTHING: KnownLinks = { canonicalIds: new Map(), sizes: new Map() };

const request = (kind: LinkRequest['kind'], from: string, to: string): LinkRequest => ({
  kind,
  from,
  to,
  requestedAt: 1,
  refusal: null,
});

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const requests = fc.array(
  fc
    .tuple(fc.constantFrom('identify' as const, 'alias' as const), id, id)
    .filter(([, from, to]) => from !== to)
    .map(([kind, from, to]) => request(kind, from, to)),
);

describe('decideLinks', () => {
  it('never links a canonical id, nor an id twice', () => {
    fc.assert(
      fc.property(requests, (all) => {
        const { added } = decideLinks(NOTHING, all, Infinity);
        const linked = added.map(({ visitor_id }) => visitor_id);
        expect(new Set(linked).size).toBe(linked.length);
        expect(added.filter(({ canonical_id }) => linked.includes(canonical_id))).toEqual([]);
      }),
    );
  });

  it('decides the same for requests together and one by one', () => {
    fc.assert(
      fc.property(requests, (all) => {
        const canonicalIds = new Map<string, string>();
        const sizes = new Map<string, number>();
        const ignored = all.flatMap((each) => {
          const decisions = decideLinks({ canonicalIds, sizes }, [each], Infinity);
          for (const { visitor_id, canonical_id } of decisions.added) {
            canonicalIds.set(visitor_id, canonical_id);
            sizes.set(canonical_id, (sizes.get(canonical_id) ?? 0) + 1);
          }
          return decisions.ignored;
        });
        const together = decideLinks(NOTHING, all, Infinity);
        expect(together.added.map((link) => [link.visitor_id, link.canonical_id])).toEqual([...canonicalIds]);
        expect(together.ignored).toEqual(ignored);
      }),
    );
  });

  it('respects the limits of a project and of a visitor', () => {
    const all = ['a', 'b', 'c'].map((from) => request('identify', from, 'u'));
    const { added, ignored } = decideLinks(NOTHING, all, 2);
    expect([added.length, ignored]).toEqual([2, [{ link: all[2], reason: 'limit' }]]);
    const full: KnownLinks = { canonicalIds: new Map(), sizes: new Map([['u', MAX_LINKED_IDS]]) };
    expect(decideLinks(full, all, Infinity).ignored).toEqual(all.map((link) => ({ link, reason: 'limit' })));
  });
});
