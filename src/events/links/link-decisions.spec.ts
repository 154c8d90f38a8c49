import fc from 'fast-check';
import { decideLinks, KnownLinks, MAX_LINKED_IDS } from './link-decisions';
import type { LinkRequest } from './link-request';

const NOTHING: KnownLinks = { canonicalIds: new Map(), sizes: new Map(), events: new Map() };
const UNLIMITED = { links: Infinity, events: Infinity };

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

/** Numbers of events, by id. */
const counts = fc
  .uniqueArray(fc.tuple(id, fc.nat(4)), { selector: ([visitor]) => visitor })
  .map((all) => new Map<string, number>(all));
/** Limits that some links exceed. */
const LIMITS = { ...UNLIMITED, events: 6 };

describe('decideLinks', () => {
  it('never links a canonical id to another id, and never links an id twice', () => {
    fc.assert(
      fc.property(requests, (all) => {
        const { added } = decideLinks(NOTHING, all, UNLIMITED);
        const linked = added.map(({ visitor_id }) => visitor_id);
        expect(new Set(linked).size).toBe(linked.length);
        expect(added.filter(({ canonical_id }) => linked.includes(canonical_id))).toEqual([]);
      }),
    );
  });

  it('makes the same decisions for several requests at once as for one at a time', () => {
    fc.assert(
      fc.property(requests, counts, (all, before) => {
        const events = new Map(before);
        const canonicalIds = new Map<string, string>();
        const sizes = new Map<string, number>();
        const ignored = all.flatMap((each) => {
          const decisions = decideLinks({ canonicalIds, sizes, events }, [each], LIMITS);
          for (const { visitor_id, canonical_id } of decisions.added) {
            canonicalIds.set(visitor_id, canonical_id);
            sizes.set(canonical_id, (sizes.get(canonical_id) ?? 0) + 1);
            events.set(canonical_id, (events.get(canonical_id) ?? 0) + (events.get(visitor_id) ?? 0));
          }
          return decisions.ignored;
        });
        const together = decideLinks({ ...NOTHING, events: before }, all, LIMITS);
        expect(together.added.map((link) => [link.visitor_id, link.canonical_id])).toEqual([...canonicalIds]);
        expect(together.ignored).toEqual(ignored);
      }),
    );
  });

  it('respects the link limits per project and per visitor', () => {
    const all = ['a', 'b', 'c'].map((from) => request('identify', from, 'u'));
    const { added, ignored } = decideLinks(NOTHING, all, { ...UNLIMITED, links: 2 });
    expect([added.length, ignored]).toEqual([2, [{ link: all[2], reason: 'limit' }]]);
    const full: KnownLinks = { ...NOTHING, sizes: new Map([['u', MAX_LINKED_IDS]]) };
    expect(decideLinks(full, all, UNLIMITED).ignored).toEqual(all.map((link) => ({ link, reason: 'limit' })));
  });

  it('respects the event limit per visitor', () => {
    const all = ['a', 'b', 'c'].map((from) => request('identify', from, 'u'));
    const events = new Map([
      ['a', 2],
      ['b', 1],
      ['u', 3],
    ]);
    const { added, ignored } = decideLinks({ ...NOTHING, events }, all, { ...UNLIMITED, events: 5 });
    expect(added.map(({ visitor_id }) => visitor_id)).toEqual(['a']);
    // The visitor has reached the limit, so no other id can be linked to it, not even an id without events.
    expect(ignored).toEqual([all[1], all[2]].map((link) => ({ link, reason: 'limit' })));
  });
});
