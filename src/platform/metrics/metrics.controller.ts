import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { Public } from '../access/route-access';
import { ApiError } from '../../common/errors/api-errors';
import { AddressList } from '../../common/http/addresses';
import { Config } from '../../config/config';

/** Metrics for clients whose addresses are in `METRICS_ALLOW`. */
@ApiTags('Health')
@Public()
@Controller('metrics')
export class MetricsController {
  private readonly allowed: AddressList;

  constructor(
    config: Config,
    private readonly registry: Registry,
  ) {
    this.allowed = new AddressList(config.metricsAllow);
  }

  @Get()
  @ApiOperation({
    operationId: 'showMetrics',
    summary: 'Process metrics in the Prometheus text format',
    description:
      'Prometheus can scrape the metrics every few seconds. Only the addresses and subnets in `METRICS_ALLOW` can read them. No token is needed.',
  })
  @ApiResponse({
    status: 200,
    description: 'The metrics.',
    content: { 'text/plain': { schema: { type: 'string' }, example: 'gosset_events_accepted_total 42' } },
  })
  @ApiResponse({
    status: 403,
    description: 'The client address is not in `METRICS_ALLOW`.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ForbiddenBody' },
        example: { message: 'This action is unauthorized.', code: 'ADDRESS_NOT_ALLOWED' },
      },
    },
  })
  async show(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    if (!this.allowed.has(request.ip)) {
      throw new ApiError('ADDRESS_NOT_ALLOWED');
    }
    reply.header('content-type', this.registry.contentType);
    return this.registry.metrics();
  }
}
