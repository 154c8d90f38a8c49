import type { PoolOptions } from 'mysql2';
import { HostProbe } from './host-probe';

/** Probes the hosts of a database, for all pools with connections to them. */
export class HostProbes {
  private readonly probes: HostProbe[];
  private readonly listeners: ((index: number) => void)[] = [];

  /**
   * @param hosts the connection options of each host
   * @param sql the probe: returns `OFF` in the column `Value` if the host cannot serve
   */
  constructor(hosts: readonly PoolOptions[], sql: string) {
    this.probes = hosts.map(({ connectionLimit: _limit, queueLimit: _queue, ...options }, index) => {
      return new HostProbe(options, sql, () => this.lose(index));
    });
  }

  /** @param listener called with the index of each lost host */
  onLost(listener: (index: number) => void): void {
    this.listeners.push(listener);
  }

  /** Notifies all pools that a host is lost. */
  lose(index: number): void {
    this.listeners.forEach((listener) => listener(index));
  }

  stop(): void {
    this.probes.forEach((probe) => probe.stop());
  }
}
