import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AddressList } from '../../common/http/addresses';
import { countryIn } from '../../common/text/countries';
import { Config } from '../../config/config';
import { CountryDatabase } from './country-database';

/**
 * The countries of visitors: from the header that a trusted proxy sets, otherwise from the address. Neither is stored or
 * logged.
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

  /** ISO 3166-1 alpha-2 in upper case; null if it is unknown. */
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
