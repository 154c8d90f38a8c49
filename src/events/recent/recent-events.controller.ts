import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { parseResponseTime } from '../../common/time/clock';
import { Failures } from '../../common/validation/failures';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import { listValue, type RawQuery, singleValue } from '../../common/lists/list-query';
import { type Outcome, OUTCOMES } from './outcomes';
import { type RecentEvents, toRecentEvents } from './recent-events.record';
import { RecentEventsOperation } from './recent-events.reference';
import { RecentEventsService, type RecentFilter } from './recent-events.service';

@ApiTags('Collection')
@Controller('projects/:project/events')
@InProject({ collection: 'record', items: [], isLive: true })
export class RecentEventsController {
  constructor(private readonly events: RecentEventsService) {}

  @Get('recent')
  @Can('read')
  @RecentEventsOperation()
  async list(@InScope() { projectId }: ProjectScope, @Query() query: RawQuery): Promise<RecentEvents> {
    return toRecentEvents(await this.events.read(projectId, parseRecentQuery(query)));
  }
}

/** Reads the filter of the list. @throws ValidationError */
function parseRecentQuery(query: RawQuery): RecentFilter {
  const failures = new Failures();
  const filter = { outcomes: readOutcomes(query, failures), since: readSince(query, failures) };
  failures.throwIfAny();
  return filter;
}

const isOutcome = (text: string): text is Outcome => (OUTCOMES as readonly string[]).includes(text);

function readOutcomes(query: RawQuery, failures: Failures): Outcome[] | null {
  const given = listValue(query, 'outcome');
  if (given === null) {
    return null;
  }
  if (given.length === 0 || !given.every(isOutcome)) {
    failures.add('outcome', `The outcome must be one or more of ${OUTCOMES.join(', ')}.`);
    return null;
  }
  return given;
}

function readSince(query: RawQuery, failures: Failures): RecentFilter['since'] {
  const given = singleValue(query, 'since', failures);
  const since = given === null ? null : parseResponseTime(given);
  if (given !== null && since === null) {
    failures.add('since', 'The since parameter must be a time such as 2026-05-01T09:30:00Z.');
  }
  return since;
}
