import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Injectable,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { ThrottlerModule } from '@nestjs/throttler';
import { fakeDate } from '../../../test/support/fake-date';
import { MemoryWindow, WINDOW_MS, WindowThrottlerStorage } from './rate-window';
import { RateLimitGuard, rateLimitOptions, refundHit } from './rate-limit.guard';

/** Takes the caller from the header `x-actor: <user id>,<rate limit>`. */
@Injectable()
class HeaderActorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest();
    const [userId, rateLimit] = String(request.headers['x-actor'] ?? '').split(',');
    if (rateLimit) request.actor = { userId: Number(userId), rateLimit: Number(rateLimit) };
    return true;
  }
}

@Controller()
class LimitedController {
  @Get('one')
  one(): object {
    return {};
  }

  @Get('two')
  two(): object {
    return {};
  }

  @Get('unchanged')
  @HttpCode(304)
  unchanged(): void {}
}

describe('RateLimitGuard', () => {
  const start = 1_700_000_000_200;
  let app: NestFastifyApplication;

  beforeEach(async () => {
    fakeDate(start);
    const storage = new WindowThrottlerStorage(new MemoryWindow());
    const module = await Test.createTestingModule({
      imports: [ThrottlerModule.forRoot(rateLimitOptions(storage))],
      controllers: [LimitedController],
      providers: [
        { provide: APP_GUARD, useClass: HeaderActorGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
      ],
    }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    const server = app.getHttpAdapter().getInstance();
    server.addHook('onSend', async (request, reply) => {
      if (reply.statusCode === 304) await refundHit(request, reply);
    });
    await app.init();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await app.close();
  });

  const get = (url: string, actor?: string, remoteAddress = '203.0.113.7') =>
    app.inject({ url, remoteAddress, headers: actor === undefined ? {} : { 'x-actor': actor } });

  async function statuses(count: number, url: string, actor?: string, address?: string): Promise<number[]> {
    const answers: number[] = [];
    for (let index = 0; index < count; index += 1) answers.push((await get(url, actor, address)).statusCode);
    return answers;
  }

  const all200 = (count: number): number[] => Array<number>(count).fill(200);

  it("allows requests up to the user's limit, and sends headers", async () => {
    const first = await get('/one', '1,60');
    expect(first.statusCode).toBe(200);
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': '1700000061',
    });
    expect(first.headers).not.toHaveProperty('retry-after');
    expect(await statuses(58, '/one', '1,60')).toEqual(all200(58));
    const last = await get('/one', '1,60');
    expect(last.statusCode).toBe(200);
    expect(last.headers['x-ratelimit-remaining']).toBe('0');
  });

  it('returns 429 with all headers above the limit, until the window ends', async () => {
    await statuses(60, '/one', '1,60');
    jest.setSystemTime(start + 45_500);
    for (const attempt of [await get('/one', '1,60'), await get('/one', '1,60')]) {
      expect(attempt.statusCode).toBe(429);
      expect(attempt.json()).toEqual({ message: 'Too Many Attempts.' });
      expect(attempt.headers).toMatchObject({
        'retry-after': '15',
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '1700000061',
      });
    }
    jest.setSystemTime(start + WINDOW_MS);
    expect((await get('/one', '1,60')).headers['x-ratelimit-remaining']).toBe('59');
  });

  it("applies each user's own limit", async () => {
    expect(await statuses(3, '/one', '1,2')).toEqual([200, 200, 429]);
    expect(await statuses(2, '/one', '2,1')).toEqual([200, 429]);
  });

  it('shares one limit across all routes', async () => {
    expect(await statuses(2, '/one', '1,3')).toEqual([200, 200]);
    expect(await statuses(2, '/two', '1,3')).toEqual([200, 429]);
    expect(await statuses(1, '/one', '1,3')).toEqual([429]);
  });

  it('does not count an unlimited user', async () => {
    expect(await statuses(70, '/one', '1,0')).toEqual(all200(70));
    const answer = await get('/one', '1,0');
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  it('limits requests without a user to 60 per minute per address', async () => {
    expect(await statuses(61, '/one')).toEqual([...all200(60), 429]);
    const other = await get('/one', undefined, '203.0.113.8');
    expect(other.headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' });
    expect(await statuses(1, '/one', '1,60')).toEqual([200]);
  });

  it('treats all addresses of an IPv6 network as one client', async () => {
    await get('/one', undefined, '2001:db8::1');
    const neighbour = await get('/one', undefined, '2001:db8::2');
    expect(neighbour.headers['x-ratelimit-remaining']).toBe('58');
    const stranger = await get('/one', undefined, '2001:db8:0:1::1');
    expect(stranger.headers['x-ratelimit-remaining']).toBe('59');
  });

  it('does not count 304 responses', async () => {
    await get('/one', '1,2');
    for (let index = 0; index < 5; index += 1) {
      const unchanged = await get('/unchanged', '1,2');
      expect(unchanged.statusCode).toBe(304);
      expect(unchanged.headers['x-ratelimit-remaining']).toBe('1');
    }
    expect(await statuses(2, '/one', '1,2')).toEqual([200, 429]);
  });

  it('returns 304 to unlimited users, whose requests are not counted', async () => {
    const unlimited = await get('/unchanged', '1,0');
    expect(unlimited.statusCode).toBe(304);
    expect(unlimited.headers).not.toHaveProperty('x-ratelimit-remaining');
  });
});

describe('refundHit', () => {
  const start = 1_700_000_000_000;
  let storage: WindowThrottlerStorage;

  beforeEach(() => {
    fakeDate(start);
    storage = new WindowThrottlerStorage(new MemoryWindow());
  });
  afterEach(() => jest.useRealTimers());

  it('refunds a hit only once', async () => {
    await storage.increment('user:1', WINDOW_MS, 60);
    const { refund } = await storage.increment('user:1', WINDOW_MS, 60);
    const request = { rateHit: { refund, remaining: 58 } };
    await refundHit(request);
    await refundHit(request);
    expect((await storage.increment('user:1', WINDOW_MS, 60)).totalHits).toBe(2);
  });

  it('leaves the header unchanged when the window has ended', async () => {
    const { refund } = await storage.increment('user:1', WINDOW_MS, 60);
    const reply = { header: jest.fn() };
    jest.setSystemTime(start + WINDOW_MS);
    await refundHit({ rateHit: { refund, remaining: 59 } }, reply);
    expect(reply.header).not.toHaveBeenCalled();
  });
});
