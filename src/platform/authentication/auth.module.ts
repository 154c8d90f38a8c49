import { Inject, Injectable, Logger, Module, OnApplicationShutdown } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Config } from '../../config/config';
import { TokensModule } from '../../users/tokens/tokens.service';
import { MemoryWindow, type RateWindow, WindowThrottlerStorage } from '../rate-limit/rate-window';
import { rateLimitOptions, UnroutedLimit } from '../rate-limit/rate-limit.guard';
import { RedisWindow } from '../rate-limit/redis-window';

const RATE_WINDOW = Symbol('RATE_WINDOW');

/** Creates the rate limit counter: in Redis if configured, so all processes share the counts; otherwise in memory. */
async function createWindow(config: Config): Promise<RateWindow> {
  if (config.redisUrl === null) {
    return new MemoryWindow();
  }
  const logger = new Logger('RateLimit');
  const window = new RedisWindow({
    url: config.redisUrl,
    keyPrefix: 'gosset:rate',
    warn: (message) => logger.warn(message),
  });
  await window.connect();
  return window;
}

@Injectable()
class RateWindowCloser implements OnApplicationShutdown {
  constructor(@Inject(RATE_WINDOW) private readonly window: RateWindow) {}

  onApplicationShutdown(): void {
    if (this.window instanceof RedisWindow) {
      this.window.close();
    }
  }
}

@Module({
  providers: [
    { provide: RATE_WINDOW, useFactory: createWindow, inject: [Config] },
    {
      provide: WindowThrottlerStorage,
      useFactory: (window: RateWindow) => new WindowThrottlerStorage(window),
      inject: [RATE_WINDOW],
    },
    RateWindowCloser,
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
