import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { HealthCheckResult, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { Public } from '../access/route-access';
import { PublishedProjects } from '../publishing/published-projects';
import { DatabaseProbe } from './database-probe';

const HEALTHY = {
  status: 'ok',
  info: { database: { status: 'up' } },
  error: {},
  details: { database: { status: 'up' } },
};
const UNHEALTHY = {
  message: 'Service Unavailable',
  status: 'error',
  details: { database: { status: 'down', reason: 'connect ECONNREFUSED 127.0.0.1:3306' } },
};
const DELIVERING = {
  status: 'ok',
  info: { delivery: { status: 'up', from: 'database' } },
  error: {},
  details: { delivery: { status: 'up', from: 'database' } },
};
const NOT_DELIVERING = {
  message: 'Service Unavailable',
  status: 'error',
  details: { delivery: { status: 'down', reason: 'connect ECONNREFUSED 127.0.0.1:3306' } },
};

const status = { type: 'string' as const, description: '`ok`, or `error` when a part is down.' };
const parts = {
  type: 'object' as const,
  description: 'What is up and what is down, by name, with the reason.',
  additionalProperties: true,
};

const SCHEMA = {
  type: 'object' as const,
  description: 'Whether the server is well.',
  required: ['status'],
  properties: {
    status,
    message: { type: 'string' as const, description: 'That it cannot serve.' },
    info: parts,
    error: parts,
    details: parts,
  },
};

const answer = (code: number, description: string, example: object): MethodDecorator =>
  ApiResponse({
    status: code,
    description,
    content: { 'application/json': { schema: SCHEMA, example } },
  });

/** Liveness and readiness checks. */
@ApiTags('Health')
@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly probe: DatabaseProbe,
    private readonly projects: PublishedProjects,
  ) {}

  @Get('live')
  @ApiOperation({
    operationId: 'showLiveness',
    summary: 'Is the process alive?',
    description:
      'For whoever restarts processes that hang: it looks at nothing but the process itself. Needs no token, and is not limited.',
  })
  @answer(200, 'It is.', { status: 'ok' })
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    operationId: 'showReadiness',
    summary: 'Can the server serve requests?',
    description:
      'For load balancers, about management and collection: 503 while the database cannot be reached, read and written, with the reason. What delivers snippets and decisions asks `/health/delivery`. Needs no token, and is not limited.',
  })
  @answer(200, 'It can.', HEALTHY)
  @answer(503, 'It cannot; the details say why.', UNHEALTHY)
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.checkDatabase()]);
  }

  @Get('delivery')
  @ApiOperation({
    operationId: 'showDeliveryReadiness',
    summary: 'Can the server deliver snippets and decisions?',
    description:
      'For load balancers, about delivery: 200 as long as revisions can be served, while the database is away from copies. Needs no token, and is not limited.',
  })
  @answer(200, 'It can.', DELIVERING)
  @answer(503, 'It cannot: the database is away, and there are no copies.', NOT_DELIVERING)
  delivery(): Promise<HealthCheckResult> {
    return this.health.check([() => this.checkDelivery()]);
  }

  private async checkDatabase() {
    const indicator = this.indicators.check('database');
    const reason = await this.probe.unreadiness();
    return reason === null ? indicator.up() : indicator.down({ reason });
  }

  private async checkDelivery() {
    const indicator = this.indicators.check('delivery');
    const reason = await this.probe.failure();
    if (reason === null) {
      return indicator.up({ from: 'database' });
    }
    return (await this.projects.hasRevisions())
      ? indicator.up({ from: 'copies', reason })
      : indicator.down({ reason });
  }
}
