import { lookup, type LookupAddress } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { hostOf } from '../common/http/addresses';
import { type Micros, nowMicros } from '../common/time/clock';
import { AddressRules } from './address-rules';
import { readRetryAfter, RetrySchedule } from './retry-schedule';

/** The outcome of an attempt. */
export interface Outcome {
  /** HTTP status; null if there is no response. */
  status: number | null;
  /** Why the attempt failed, as a sentence; null on success. */
  error: string | null;
  /** The response's `Retry-After`. */
  retryAfter: Micros | null;
}

export interface SignedMessage {
  headers: Readonly<Record<string, string>>;
  body: string;
}

const REFUSED =
  'The address is not allowed: it is private, loopback or link-local, or can only be reached over https.';

/** Thrown for an address to which webhooks may not be sent. */
class RefusedAddress extends Error {
  constructor() {
    super(REFUSED);
  }
}

/** Looks up the addresses for a host name. Tests replace this function. */
@Injectable()
export class HostLookup {
  async addressesOf(host: string): Promise<LookupAddress[]> {
    return new Promise((resolve, reject) => {
      lookup(host, { all: true }, (error, addresses) =>
        error === null ? resolve(addresses) : reject(error),
      );
    });
  }
}

/**
 * Sends a message with one request. Redirects are not followed, and the body of the response is not read.
 */
@Injectable()
export class WebhookClient {
  constructor(
    private readonly rules: AddressRules,
    private readonly hosts: HostLookup,
    private readonly schedule: RetrySchedule,
  ) {}

  /** Sends a message. The promise never rejects, because errors are part of the outcome. */
  async send(address: string, message: SignedMessage): Promise<Outcome> {
    try {
      const { status, retryAfter } = await this.post(new URL(address), message);
      const error = problemOf(status);
      return { status, error, retryAfter: error === null ? null : readRetryAfter(retryAfter, nowMicros()) };
    } catch (error) {
      return { status: null, error: sentenceOf(error), retryAfter: null };
    }
  }

  private post(
    url: URL,
    { headers, body }: SignedMessage,
  ): Promise<{ status: number; retryAfter: string | undefined }> {
    const isSecure = url.protocol === 'https:';
    // If the host is an IP address, the connection skips the lookup in which addresses are checked.
    if (isIP(hostOf(url)) !== 0 && !this.rules.mayConnect(hostOf(url), isSecure)) {
      return Promise.reject(new RefusedAddress());
    }
    const options = { method: 'POST', agent: false, lookup: this.checkedLookup(isSecure) };
    return new Promise((resolve, reject) => {
      const length = String(Buffer.byteLength(body));
      const request: ClientRequest = (isSecure ? requestHttps : requestHttp)(url, {
        ...options,
        headers: { ...headers, 'content-length': length },
      });
      const timer = setTimeout(() => request.destroy(new TimeoutError()), this.schedule.timeoutMs);
      request.on('error', reject);
      // After status 101, neither `response` nor `error` follows. In all other cases, the promise is already settled.
      request.on('close', () => {
        clearTimeout(timer);
        reject(new NoFinalResponse());
      });
      request.on('response', (response: IncomingMessage) => {
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
        request.destroy();
      });
      request.end(body);
    });
  }

  /**
   * The lookup that the connection itself uses. This checks the addresses that are actually used, so a different DNS
   * response a moment later has no effect (DNS rebinding).
   */
  private checkedLookup(isSecure: boolean): LookupFunction {
    return (host, { all }, callback) => {
      this.hosts.addressesOf(host).then(
        (found) => {
          const allowed = found.filter(({ address }) => this.rules.mayConnect(address, isSecure));
          const [first] = allowed;
          if (first === undefined) {
            callback(new RefusedAddress(), '', 0);
          } else if (all === true) {
            callback(null, allowed);
          } else {
            callback(null, first.address, first.family);
          }
        },
        (error: unknown) => callback(error as Error, '', 0),
      );
    };
  }
}

class TimeoutError extends Error {
  constructor() {
    super('The receiver did not respond in time.');
  }
}

class NoFinalResponse extends Error {
  constructor() {
    super('The receiver ended the request without a final response.');
  }
}

function problemOf(status: number): string | null {
  if (status >= 200 && status < 300) {
    return null;
  }
  return status >= 300 && status < 400
    ? `The receiver redirected with status ${status}. Redirects are not followed.`
    : `The receiver responded with status ${status}.`;
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host has no address.',
  EAI_AGAIN: 'The host cannot be resolved at the moment.',
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: 'The receiver closed the connection without a response.',
  EHOSTUNREACH: 'The receiver cannot be reached.',
  ENETUNREACH: 'The receiver cannot be reached.',
  ETIMEDOUT: 'The receiver cannot be reached.',
};

/**
 * The error as a sentence without addresses. A host name may resolve to an address in the operator's network, which
 * users must not see.
 */
function sentenceOf(error: unknown): string {
  if ([RefusedAddress, TimeoutError, NoFinalResponse].some((known) => error instanceof known)) {
    return (error as Error).message;
  }
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return CAUSES[code] ?? `The connection failed (${code}).`;
}
