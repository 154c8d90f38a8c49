import { Controller, Get, Injectable } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { HealthCheckResult, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { inTime } from '../../common/event-loop';
import { Database } from '../../database/database';
import { checkAnswer, checkReadiness } from '../../database/readiness';
import { Public } from '../access/route-access';
import { EventLog } from '../../events/event-log';
import { PublishedProjects } from '../../publishing/published-projects';

const DEADLINE_MS = 1_000;
const LATE = `The database did not respond within ${DEADLINE_MS} ms.`;

/** Probes the database; concurrent callers share one probe. */
class Question {
  private current: Promise<string | null> | null = null;

  constructor(private readonly ask: () => Promise<unknown>) {}

  /** @returns the reason for a failure; null on success */
  failure(): Promise<string | null> {
    this.current ??= this.answer().finally(() => (this.current = null));
    return inTime(this.current, DEADLINE_MS, LATE);
  }

  private async answer(): Promise<string | null> {
    try {
      await this.ask();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

/** Probes whether the database responds, and whether it can be read and written. */
@Injectable()
export class DatabaseProbe {
  private readonly answers: Question;
  private readonly serves: Question;

  constructor(database: Database) {
    this.answers = new Question(() => checkAnswer(database));
    this.serves = new Question(() => checkReadiness(database));
  }

  /** @returns why the database cannot be read; null if it can be */
  failure(): Promise<string | null> {
    return this.answers.failure();
  }

  /** @returns why the database cannot be read or written; null if it can be */
  unreadiness(): Promise<string | null> {
    return this.serves.failure();
  }
}

const HEALTHY = {
  status: 'ok',
  info: { database: { status: 'up' } },
  error: {},
  details: { database: { status: 'up' } },
};
const UNHEALTHY = {
  message: 'Service Unavailable',
  code: 'UNAVAILABLE',
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
  code: 'UNAVAILABLE',
  status: 'error',
  details: { delivery: { status: 'down', reason: 'connect ECONNREFUSED 127.0.0.1:3306' } },
};

const status = { type: 'string' as const, description: '`ok`, or `error` if a component is down.' };
const parts = {
  type: 'object' as const,
  description: 'Status of each component by name, with reasons.',
  additionalProperties: true,
};

const SCHEMA = {
  type: 'object' as const,
  description: 'The health of the server.',
  required: ['status'],
  properties: {
    status,
    message: { type: 'string' as const, description: 'The server cannot serve requests.' },
    code: { type: 'string' as const, enum: ['UNAVAILABLE'], description: 'The error code.' },
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
    private readonly events: EventLog,
  ) {}

  @Get('live')
  @ApiOperation({
    operationId: 'showLiveness',
    summary: 'Is the process alive?',
    description:
      'Liveness probe for process supervisors. It checks only the process itself, needs no token and has no rate limit.',
  })
  @answer(200, 'The process is alive.', { status: 'ok' })
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    operationId: 'showReadiness',
    summary: 'Can the server serve requests?',
    description:
      'Readiness probe for the management API and event collection. It returns 503 with the reason while the database cannot be reached, read or written. For snippets and decisions, use `/health/delivery`. It needs no token and has no rate limit.',
  })
  @answer(200, 'The server is ready.', HEALTHY)
  @answer(503, 'The server is not ready; `details` has the reason.', UNHEALTHY)
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.checkDatabase(), () => this.checkEvents()]);
  }

  @Get('delivery')
  @ApiOperation({
    operationId: 'showDeliveryReadiness',
    summary: 'Can the server deliver snippets and decisions?',
    description:
      'Readiness probe for delivery. It returns 200 as long as revisions can be served, even from cached copies while the database is unavailable. It needs no token and has no rate limit.',
  })
  @answer(200, 'The server is ready.', DELIVERING)
  @answer(503, 'The database is unavailable, and there are no cached copies.', NOT_DELIVERING)
  delivery(): Promise<HealthCheckResult> {
    return this.health.check([() => this.checkDelivery()]);
  }

  private async checkDatabase() {
    const indicator = this.indicators.check('database');
    const reason = await this.probe.unreadiness();
    return reason === null ? indicator.up() : indicator.down({ reason });
  }

  /** Omitted from the report if events are stored in the main database, which has its own check. */
  private async checkEvents() {
    const indicator = this.indicators.check('events');
    const reason = await this.events.problem();
    if (reason !== null) {
      return indicator.down({ reason });
    }
    return this.events.isApart ? indicator.up() : {};
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
