/** The owner of a stream. */
export interface StreamOwner {
  clientKey: string;
  /**
   * The client's IP address. For IPv6, this is only the network prefix, because clients can choose the rest of the
   * address.
   */
  address: string;
}

export type StreamLimit = 'process' | 'project' | 'address';

const SHARES: Readonly<Record<StreamLimit, number>> = { process: 1, project: 0.5, address: 0.1 };

const REASONS: Readonly<Record<StreamLimit, { whose: string; share: string }>> = {
  process: { whose: 'of this server', share: 'MAX_STREAMS' },
  project: { whose: 'that one project may have', share: 'half of MAX_STREAMS' },
  address: { whose: 'that one address may have', share: 'a tenth of MAX_STREAMS' },
};

/**
 * Limits the number of open streams in this process. A single project may have at most half of the streams, and a
 * single address a tenth, so neither can use up all of them.
 */
export class StreamLimits {
  private readonly counts = new Map<string, number>();
  private open = 0;

  /** @param max maximum number of open streams in this process; 0 = streaming is disabled */
  constructor(private readonly max: number) {}

  get size(): number {
    return this.open;
  }

  /** The limit that one more stream would exceed; null if one more stream may be opened. */
  exceededBy(owner: StreamOwner): StreamLimit | null {
    const [project, address] = keysOf(owner).map((key) => this.counts.get(key) ?? 0);
    const open: readonly [StreamLimit, number][] = [
      ['process', this.open],
      ['project', project],
      ['address', address],
    ];
    return open.find(([limit, count]) => count >= this.allowed(limit))?.[0] ?? null;
  }

  /** The reason why a stream was rejected, as a sentence. */
  reasonOf(limit: StreamLimit): string {
    if (this.max === 0) {
      return 'Streaming is disabled on this server: MAX_STREAMS is 0.';
    }
    const { whose, share } = REASONS[limit];
    return `All ${this.allowed(limit)} streams ${whose} are in use (${share}).`;
  }

  private allowed(limit: StreamLimit): number {
    return Math.ceil(this.max * SHARES[limit]);
  }

  /** Counts an open stream. @returns a function that removes it from the count; further calls have no effect */
  add(owner: StreamOwner): () => void {
    this.change(owner, 1);
    let isOpen = true;
    return () => {
      this.change(owner, isOpen ? -1 : 0);
      isOpen = false;
    };
  }

  private change(owner: StreamOwner, by: number): void {
    this.open += by;
    for (const key of keysOf(owner)) {
      const count = (this.counts.get(key) ?? 0) + by;
      if (count === 0) {
        this.counts.delete(key);
      } else {
        this.counts.set(key, count);
      }
    }
  }
}

const keysOf = ({ clientKey, address }: StreamOwner): [string, string] => [
  `project ${clientKey}`,
  `address ${address}`,
];
