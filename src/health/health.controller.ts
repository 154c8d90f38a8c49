import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { HealthCheckResult, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { Public } from '../access/route-access';
import { Database } from '../database/database';

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

/** Whether the process is alive, and whether it can serve. */
@ApiTags('Health')
@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
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
      'For load balancers: 503 while the database cannot be reached, with the reason. Needs no token, and is not limited.',
  })
  @answer(200, 'It can.', HEALTHY)
  @answer(503, 'It cannot; the details say why.', UNHEALTHY)
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.checkDatabase()]);
  }

  private async checkDatabase() {
    const indicator = this.indicators.check('database');
    try {
      await this.database.read.query('SELECT 1');
      return indicator.up();
    } catch (error) {
      return indicator.down({ reason: error instanceof Error ? error.message : String(error) });
    }
  }
}
