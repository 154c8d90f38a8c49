import {
  Controller,
  DynamicModule,
  Get,
  INestApplication,
  Injectable,
  Module,
  OnModuleInit,
  Post,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyInstance } from 'fastify';
import { setPrefix } from '../../src/platform/access/api-prefix';
import { Can, InProject, Public, SignedIn } from '../../src/platform/access/route-access';
import { RouteAudit } from '../../src/platform/access/route-audit';
import { AccountModule } from '../../src/account/account.module';
import { PageController } from '../../src/account/page-controller';
import { SessionGuard } from '../../src/account/session.guard';
import { AppModule } from '../../src/app.module';
import { addRoute } from '../../src/common/http/raw-routes';
import { createLogger, PinoLogger } from '../../src/common/logging/pino-logger';
import { createApplication } from '../../src/platform/application';
import { TestApi } from '../support/api';

/* Routes without an access declaration. */

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

@Controller('undecided')
class UndecidedController {
  static calls = 0;

  @Get()
  show(): string {
    UndecidedController.calls += 1;
    return 'shown';
  }
}

@PageController('undecided-page')
class UndecidedPageController {
  @Get()
  show(): string {
    return 'shown';
  }
}

@Controller('projects/:project/things')
class WithoutProjectController {
  @Get()
  @Can('read')
  list(): string[] {
    return [];
  }
}

@Controller('projects/:project/things')
@InProject({ collection: 'goals', items: [] })
class UnresolvedController {
  @Get(':thing')
  @Can('read')
  show(): string {
    return 'shown';
  }
}

@Controller('projects/:project/things')
@SignedIn()
class PageWithoutProjectController {
  @Get()
  show(): string {
    return 'shown';
  }
}

@Controller('teams/:team/things')
@SignedIn('own')
class UnresolvedPageController {
  @Get(':thing/:own')
  show(): string {
    return 'shown';
  }
}

@Controller('projects/:project/things')
@InProject({ collection: 'goals', items: [] })
@SignedIn()
class ChangingPageController {
  @Post()
  change(): string {
    return 'changed';
  }
}

@Controller('decided-twice')
@SignedIn()
class DecidedTwiceController {
  @Get()
  @Public()
  show(): string {
    return 'shown';
  }
}

@Controller('decided')
class DecidedController {
  @Get('open')
  @Public()
  open(): string {
    return 'open';
  }

  @Get('closed')
  @Can('read')
  closed(): string {
    return 'closed';
  }

  @Get('own')
  @SignedIn()
  own(): string {
    return 'own';
  }
}

const SILENT = new PinoLogger(createLogger('silent'));

function build(controller: new () => object) {
  const { config, database } = api;
  return Test.createTestingModule({
    imports: [AppModule.forRoot(config, database), AccountModule],
    controllers: [controller],
  });
}

async function startWith(controller: new () => object): Promise<INestApplication> {
  const testing = await build(controller).setLogger(SILENT).compile();
  const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  setPrefix(app);
  return app.init();
}

describe('a route without an access declaration', () => {
  it.each([
    [
      'without any declaration',
      UndecidedController,
      'UndecidedController.show: neither @Can nor @SignedIn nor @Public.',
    ],
    [
      'as a page without any declaration',
      UndecidedPageController,
      'UndecidedPageController.show: neither @Can nor @SignedIn nor @Public.',
    ],
    [
      'with two declarations',
      DecidedTwiceController,
      'DecidedTwiceController.show: more than one of @Can, @SignedIn and @Public.',
    ],
    [
      'without a way to find its project',
      WithoutProjectController,
      'WithoutProjectController.list: the controller needs',
    ],
    ['with an id that nothing resolves', UnresolvedController, 'there is no resolver for the path ids thing'],
    [
      'as a page of a project without a way to find it',
      PageWithoutProjectController,
      'PageWithoutProjectController.show: the controller needs',
    ],
    ['as a page with an id that nothing resolves', UnresolvedPageController, 'the path ids team, thing'],
    [
      'as a project page that changes data',
      ChangingPageController,
      'ChangingPageController.change: a page in a project is for GET only, except for forms with @CallsApi.',
    ],
  ])('prevents the application from starting: %s', async (_, controller, message) => {
    await expect(startWith(controller)).rejects.toThrow(message);
  });

  it('is the only cause, because the same application starts with declared routes', async () => {
    await expect(startWith(DecidedController)).resolves.toBeDefined();
  });

  it('is rejected even without the audit', async () => {
    const testing = await build(UndecidedController)
      .setLogger(SILENT)
      .overrideProvider(RouteAudit)
      .useValue({ routes: () => [] })
      .compile();
    const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    setPrefix(app);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const { token } = await api.person();
    const response = await app.inject({
      url: '/api/undecided',
      headers: { authorization: `Bearer ${token}` },
    });
    expect([response.statusCode, UndecidedController.calls]).toEqual([403, 0]);
  });

  it('is not the only rejected route: a signed-in route is rejected without a session, even without the session guard', async () => {
    const guarded = build(DecidedController).setLogger(SILENT);
    const { canActivate } = SessionGuard.prototype;
    SessionGuard.prototype.canActivate = () => Promise.resolve(true);
    const app = (await guarded.compile()).createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    setPrefix(app);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const { statusCode } = await app.inject({ url: '/api/decided/own' });
    SessionGuard.prototype.canActivate = canActivate;
    expect(statusCode).toBe(403);
  });
});

/** Adds a route directly to the server, as a plugin or service could. */
function withRaw(add: (server: FastifyInstance) => void): DynamicModule {
  @Injectable()
  class RawRoutes implements OnModuleInit {
    constructor(private readonly host: HttpAdapterHost) {}

    onModuleInit(): void {
      add(this.host.httpAdapter.getInstance<FastifyInstance>());
    }
  }
  @Module({})
  class WithRawRoutes {}
  const { config, database } = api;
  return { module: WithRawRoutes, imports: [AppModule.forRoot(config, database)], providers: [RawRoutes] };
}

describe('a route without a controller', () => {
  const start = (add: (server: FastifyInstance) => void): Promise<INestApplication> =>
    createApplication(withRaw(add), api.config, createLogger('silent'));
  const handler = (): string => 'shown';

  it('prevents the server from starting if its access is not declared, and the error has a solution', async () => {
    const starting = start((server) => server.get('/debug', handler));
    await expect(starting).rejects.toThrow(
      [
        'These routes do not declare their access:',
        'GET /debug',
        'HEAD /debug',
        'Make each route a controller method with @Can, @SignedIn or @Public, or add it with addRoute from src/common/http/raw-routes.ts.',
      ].join('\n'),
    );
  });

  it('is not mistaken for a controller or the reference because of its path', async () => {
    const add = (server: FastifyInstance): void => {
      server.get('/teams', handler);
      server.get('/docs-of-mine', handler);
    };
    await expect(start(add)).rejects.toThrow(/GET \/teams\n[^]*GET \/docs-of-mine\n/);
  });

  it('prevents the server from starting if nothing checks its declared access', async () => {
    const add = (server: FastifyInstance): void =>
      addRoute(server, { method: 'GET', path: '/debug', access: 'client-key', handler });
    await expect(start(add)).rejects.toThrow('GET /debug: its access is declared as client-key');
  });

  it('is served if it is declared public', async () => {
    const app = (await start((server) =>
      addRoute(server, { method: 'GET', path: '/debug', access: 'public', handler }),
    )) as NestFastifyApplication;
    expect((await app.inject({ url: '/debug' })).payload).toBe('shown');
  });
});
