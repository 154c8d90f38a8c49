import { type LookupAddress, promises as dns } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Injectable } from '@nestjs/common';
import { GLOBAL_IPV6 } from './address-rules';

/** Thrown for a host name without addresses. */
export class UnresolvedHost extends Error {
  constructor(isMissing: boolean) {
    super(isMissing ? 'The host has no address.' : 'The host cannot be resolved at the moment.');
  }
}

/** Error codes that mean that a name does not exist, has no addresses, or is not a valid DNS name. */
const MISSING: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

/**
 * Looks up the addresses for a host name in the hosts file, then in DNS with the search list, like the system.
 * `dns.lookup` is not used: a name whose DNS server does not respond would occupy one of the process's four threads for
 * many seconds, and other teams' webhooks, sign-ins and database connections would wait for a thread.
 */
@Injectable()
export class HostLookup {
  /** Tests replace these files. */
  readonly files = { hosts: '/etc/hosts', resolver: '/etc/resolv.conf' };

  /** @param signal cancels the lookup @throws UnresolvedHost */
  async addressesOf(host: string, signal: AbortSignal): Promise<LookupAddress[]> {
    const listed = listedAddresses(await textOf(this.files.hosts), host);
    if (listed.length > 0) {
      return listed;
    }
    const resolver = this.newResolver();
    signal.addEventListener('abort', () => resolver.cancel(), { once: true });
    let isMissing = true;
    for (const name of namesToTry(host, await textOf(this.files.resolver))) {
      signal.throwIfAborted();
      const { found, problems } = await resolve(resolver, name);
      if (found.length > 0) {
        return found;
      }
      const others = problems.filter((problem) => !MISSING.includes(problem));
      isMissing &&= others.length === 0;
      // Without a response, it is unknown whether the name exists. The next name could belong to someone else.
      if (others.some((problem) => problem !== 'ESERVFAIL')) {
        break;
      }
    }
    throw new UnresolvedHost(isMissing);
  }

  /** Each lookup has its own resolver, because a resolver cancels all of its queries. Tests replace this function. */
  newResolver(): dns.Resolver {
    return new dns.Resolver({ timeout: 2_000, tries: 2 });
  }
}

/** The text of a configuration file; empty if the system has no such file. */
const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

const linesOf = (text: string): string[][] =>
  text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );

/** The addresses for a host in the hosts file. */
function listedAddresses(hostsFile: string, host: string): LookupAddress[] {
  return linesOf(hostsFile)
    .filter(([, ...names]) => names.some((name) => name.toLowerCase() === host))
    .map(([address = '']) => ({ address, family: isIP(address) }))
    .filter(({ address, family }) => family !== 0 && !address.includes('%'));
}

/**
 * The names under which a host may be found, in order (`search` and `ndots` in resolv.conf(5)). In Kubernetes, for
 * instance, `receiver.prod` is first a service of the cluster, and only then a public domain.
 */
function namesToTry(host: string, resolverFile: string): string[] {
  if (host.endsWith('.')) {
    return [host];
  }
  const lines = linesOf(resolverFile);
  const [, ...search] = lines.findLast(([key]) => key === 'search' || key === 'domain') ?? [];
  const domains = search.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '');
  const options = lines.filter(([key]) => key === 'options').flat();
  const ndots = Number(options.findLast((option) => /^ndots:\d+$/.test(option))?.slice('ndots:'.length) ?? 1);
  const inDomains = domains.map((domain) => `${host}.${domain}`);
  return host.split('.').length > ndots ? [host, ...inDomains] : [...inDomains, host];
}

/** Queries both address families. IPv6 comes first only if this machine has a public IPv6 address (RFC 6724). */
async function resolve(
  resolver: dns.Resolver,
  name: string,
): Promise<{ found: LookupAddress[]; problems: unknown[] }> {
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const [v4 = [], v6 = []] = results.map((result, index) =>
    result.status === 'rejected'
      ? []
      : result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
  );
  const problems = results.flatMap((result) =>
    result.status === 'rejected' ? [(result.reason as NodeJS.ErrnoException).code] : [],
  );
  return { found: hasPublicIpv6() ? [...v6, ...v4] : [...v4, ...v6], problems };
}

const hasPublicIpv6 = (): boolean =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .some(({ address, family }) => family === 'IPv6' && GLOBAL_IPV6.has(address));
