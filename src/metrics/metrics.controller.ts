import { BlockList, isIPv6 } from 'node:net';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { Public } from '../access/route-access';
import { ApiError } from '../common/errors/api-errors';
import { Config } from '../config/config';

/** Metrics for the addresses in `METRICS_ALLOW`. */
@ApiTags('Health')
@Public()
@Controller('metrics')
export class MetricsController {
  private readonly allowed: BlockList;

  constructor(
    config: Config,
    private readonly registry: Registry,
  ) {
    this.allowed = addressList(config.metricsAllow);
  }

  @Get()
  @ApiOperation({
    operationId: 'showMetrics',
    summary: 'Figures about the running process, in the text format of Prometheus',
    description:
      'For Prometheus to collect every few seconds. Only the addresses and subnets in `METRICS_ALLOW` may read them; needs no token.',
  })
  @ApiResponse({
    status: 200,
    description: 'The figures.',
    content: { 'text/plain': { schema: { type: 'string' }, example: 'gosset_events_accepted_total 42' } },
  })
  @ApiResponse({
    status: 403,
    description: 'The address is not allowed to see them.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorBody' },
        example: { message: 'This action is unauthorized.' },
      },
    },
  })
  async show(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    if (!this.allowed.check(request.ip, isIPv6(request.ip) ? 'ipv6' : 'ipv4')) {
      throw new ApiError(403, 'This action is unauthorized.');
    }
    reply.header('content-type', this.registry.contentType);
    return this.registry.metrics();
  }
}

function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) {
      list.addAddress(address, family);
    } else {
      list.addSubnet(address, Number(prefix), family);
    }
  }
  return list;
}
