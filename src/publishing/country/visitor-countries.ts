import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import * as maxmind from 'maxmind';
import { AddressList } from '../../common/http/addresses';
import { countryIn } from '../../common/text/countries';
import { Config, ConfigError } from '../../config/config';

/** How often to check whether the file was replaced, in milliseconds. */
const LOOK_EVERY_MS = 10_000;
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** A country database in MaxMind's format, such as GeoLite2-Country. The database is reloaded when the file changes. */
class CountryDatabase {
  private readonly logger = new Logger(CountryDatabase.name);
  private lookedAt = performance.now();
  /** Why the new file could not be read; empty if there was no error. */
  private failure = '';

  private constructor(
    private readonly file: string,
    private reader: maxmind.Reader<maxmind.CountryResponse>,
    private version: string,
  ) {}

  /** @throws ConfigError if the file cannot be read */
  static async open(file: string): Promise<CountryDatabase> {
    try {
      const version = await versionOf(file);
      return new CountryDatabase(file, await read(file), version);
    } catch (error) {
      throw new ConfigError([
        `GEOIP_DATABASE ${file} cannot be used: ${textOf(error)} It must be a MaxMind database (.mmdb) with countries.`,
      ]);
    }
  }

  /** The country of an IP address; null if it is unknown. */
  find(address: string): string | null {
    void this.look();
    const plain = address.replace(MAPPED, '');
    const found = isIP(plain) === 0 ? null : this.reader.get(plain);
    return countryIn(found?.country?.iso_code ?? '');
  }

  /**
   * Loads the new file after a replacement. If loading fails, the previous database stays in use, and loading is
   * retried later.
   */
  private async look(): Promise<void> {
    if (performance.now() - this.lookedAt < LOOK_EVERY_MS) {
      return;
    }
    this.lookedAt = performance.now();
    try {
      const version = await versionOf(this.file);
      if (version !== this.version) {
        this.reader = await read(this.file);
        this.version = version;
        this.failure = '';
        this.logger.log(`The country database ${this.file} was replaced; the new one is in use.`);
      }
    } catch (error) {
      this.warn(textOf(error));
    }
  }

  /** Logs each reason once, not at every attempt. */
  private warn(reason: string): void {
    if (reason !== this.failure) {
      this.failure = reason;
      this.logger.warn(
        `The country database ${this.file} cannot be read; the previous one stays in use: ${reason}`,
      );
    }
  }
}

async function versionOf(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file);
  return [ino, size, mtimeMs].join();
}

async function read(file: string): Promise<maxmind.Reader<maxmind.CountryResponse>> {
  const reader = new maxmind.Reader<maxmind.CountryResponse>(await readFile(file));
  // A corrupt search tree causes an error only during a lookup, so two addresses are looked up here.
  ['192.0.2.1', '2001:db8::1'].forEach((address) => reader.get(address));
  return reader;
}

const textOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return message.endsWith('.') ? message : `${message}.`;
};

/**
 * The countries of visitors: taken from the header that a trusted proxy sets, or else looked up by IP address. Neither
 * the countries nor the IP addresses are stored or logged.
 */
@Injectable()
export class VisitorCountries implements OnModuleInit {
  private readonly proxies: AddressList;
  private database: CountryDatabase | null = null;

  constructor(private readonly config: Config) {
    this.proxies = new AddressList(config.trustProxy === false ? [] : config.trustProxy);
  }

  /** @throws ConfigError if the database cannot be used */
  async onModuleInit(): Promise<void> {
    const { geoipDatabase } = this.config;
    this.database = geoipDatabase === null ? null : await CountryDatabase.open(geoipDatabase);
  }

  /** The visitor's country as an ISO 3166-1 alpha-2 code in upper case; null if it is unknown. */
  of(request: FastifyRequest): string | null {
    return this.fromHeader(request) ?? this.database?.find(request.ip) ?? null;
  }

  private fromHeader({ headers, socket }: FastifyRequest): string | null {
    const { countryHeader } = this.config;
    const isTrusted = countryHeader !== null && this.proxies.has(socket.remoteAddress ?? '');
    const value = isTrusted ? headers[countryHeader] : undefined;
    return typeof value === 'string' ? countryIn(value) : null;
  }
}
