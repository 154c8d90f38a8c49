import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { hostOf } from '../common/http/addresses';
import { type Micros, nowMicros } from '../common/time/clock';
import { AddressRules } from './address-rules';
import { HostLookup, UnresolvedHost } from './host-lookup';
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

/** Maximum number of interim responses, such as 103, so that endless ones do not keep the process busy. */
const MAX_INTERIM = 10;

const REFUSED =
  'The address is not allowed: it is private, loopback or link-local, or can only be reached over https.';

/** Thrown for an address to which webhooks may not be sent. */
class RefusedAddress extends Error {
  constructor() {
    super(REFUSED);
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
    const closed = new AbortController();
    const options = { method: 'POST', agent: false, lookup: this.checkedLookup(isSecure, closed.signal) };
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
        closed.abort();
        reject(new NoFinalResponse());
      });
      let interim = 0;
      request.on('information', () => {
        interim += 1;
        if (interim > MAX_INTERIM) {
          // A response in the same packet would come before the error of `destroy`.
          reject(new TooManyInterimResponses());
          request.destroy();
        }
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
   * response a moment later has no effect (DNS rebinding). @param signal cancels the lookup
   */
  private checkedLookup(isSecure: boolean, signal: AbortSignal): LookupFunction {
    return (host, { all }, callback) => {
      this.hosts.addressesOf(host, signal).then(
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

class TooManyInterimResponses extends Error {
  constructor() {
    super(
      `The receiver sent more than ${MAX_INTERIM} interim responses (status 1xx) before a final response.`,
    );
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
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: 'The receiver closed the connection without a response.',
  EHOSTUNREACH: 'The receiver cannot be reached.',
  ENETUNREACH: 'The receiver cannot be reached.',
  ETIMEDOUT: 'The receiver cannot be reached.',
};

/** Errors whose messages are sentences for users. */
const NAMED = [RefusedAddress, UnresolvedHost, TimeoutError, NoFinalResponse, TooManyInterimResponses];

/**
 * The error as a sentence without addresses. A host name may resolve to an address in the operator's network, which
 * users must not see.
 */
function sentenceOf(error: unknown): string {
  if (NAMED.some((known) => error instanceof known)) {
    return (error as Error).message;
  }
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return CAUSES[code] ?? `The connection failed (${code}).`;
}
