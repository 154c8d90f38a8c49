import type { PoolOptions } from 'mysql2';
import { HostProbe } from './host-probe';

/** Whether the hosts of a database serve, for all pools that have connections to them. */
export class HostProbes {
  private readonly probes: HostProbe[];
  private readonly listeners: ((index: number) => void)[] = [];

  /**
   * @param hosts how to connect to each
   * @param sql answers whether a host serves: with `OFF` in the column `Value` when it does not
   */
  constructor(hosts: readonly PoolOptions[], sql: string) {
    this.probes = hosts.map(({ connectionLimit: _limit, queueLimit: _queue, ...options }, index) => {
      return new HostProbe(options, sql, () => this.lose(index));
    });
  }

  /** @param listener is told the index of each host that is lost */
  onLost(listener: (index: number) => void): void {
    this.listeners.push(listener);
  }

  /** Tells all pools that a host does not serve any more. */
  lose(index: number): void {
    this.listeners.forEach((listener) => listener(index));
  }

  stop(): void {
    this.probes.forEach((probe) => probe.stop());
  }
}
