/** Who opens a stream. */
export interface StreamOwner {
  clientKey: string;
  /** Of the client, without the part that one client can choose. */
  address: string;
}

export type StreamLimit = 'process' | 'project' | 'address';

const PROJECT_SHARE = 0.5;
const ADDRESS_SHARE = 0.1;

/**
 * Bounds the open streams of this process: half of them for one project, a tenth from one address, so that neither can
 * use up all of them.
 */
export class StreamLimits {
  private readonly counts = new Map<string, number>();
  private open = 0;

  /** @param max open streams of the process; 0 = none */
  constructor(private readonly max: number) {}

  get size(): number {
    return this.open;
  }

  /** The limit that another stream would exceed; null if it may be opened. */
  exceededBy(owner: StreamOwner): StreamLimit | null {
    if (this.open >= this.max) {
      return 'process';
    }
    const [project, address] = keysOf(owner).map((key) => this.counts.get(key) ?? 0);
    if (project >= Math.ceil(this.max * PROJECT_SHARE)) {
      return 'project';
    }
    return address >= Math.ceil(this.max * ADDRESS_SHARE) ? 'address' : null;
  }

  /** Counts an open stream. @returns removes it from the count, once */
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
