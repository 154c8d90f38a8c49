import { Inject, Injectable, Logger, Module, OnApplicationShutdown } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Config } from '../../config/config';
import { TokensModule } from '../../users/tokens/tokens.service';
import { MemoryWindow, WindowsByKind, WindowThrottlerStorage } from '../rate-limit/rate-window';
import { rateLimitOptions, UnroutedLimit } from '../rate-limit/rate-limit.guard';
import { RedisConnection, redisPrefix } from '../rate-limit/redis-connection';
import { RedisWindow } from '../rate-limit/redis-window';

const RATE_CONNECTION = Symbol('RATE_CONNECTION');

/** Connects to the Redis of the rate limits; null if none is configured. */
async function connectRedis({ redisUrl: url }: Config): Promise<RedisConnection | null> {
  if (url === null) {
    return null;
  }
  const logger = new Logger('RateLimit');
  const connection = new RedisConnection({ url, warn: (message) => logger.warn(message) });
  await connection.connect();
  return connection;
}

/** Creates the rate limit counters: in Redis if configured, so all processes share the counts; otherwise in memory. */
const createStorage = (redis: RedisConnection | null, config: Config): WindowThrottlerStorage =>
  new WindowThrottlerStorage(
    new WindowsByKind(() =>
      redis === null ? new MemoryWindow() : new RedisWindow(redis, redisPrefix(config, 'rate')),
    ),
  );

@Injectable()
class RateConnectionCloser implements OnApplicationShutdown {
  constructor(@Inject(RATE_CONNECTION) private readonly connection: RedisConnection | null) {}

  onApplicationShutdown(): void {
    this.connection?.close();
  }
}

@Module({
  providers: [
    { provide: RATE_CONNECTION, useFactory: connectRedis, inject: [Config] },
    { provide: WindowThrottlerStorage, useFactory: createStorage, inject: [RATE_CONNECTION, Config] },
    RateConnectionCloser,
  ],
  exports: [WindowThrottlerStorage],
})
class RateWindowModule {}

@Module({
  imports: [
    TokensModule,
    RateWindowModule,
    ThrottlerModule.forRootAsync({
      imports: [RateWindowModule],
      inject: [WindowThrottlerStorage],
      useFactory: rateLimitOptions,
    }),
  ],
  providers: [UnroutedLimit],
  exports: [TokensModule, ThrottlerModule, RateWindowModule, UnroutedLimit],
})
export class AuthModule {}
