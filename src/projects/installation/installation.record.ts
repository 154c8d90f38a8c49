import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { Output } from '../../common/validation/fields';
import { Id, Name, Timestamp } from '../../common/validation/record-fields';

const COUNT = { type: 'integer', minimum: 0 } as const;

@ApiSchema({ description: 'A host whose pages have the snippet.' })
export class SnippetHost {
  @Output({ type: 'string', description: 'Host and port of the page.' })
  host: string;

  @Timestamp({ description: 'When the snippet was last seen on this host.' })
  last_seen_at: string;
}

@ApiExtraModels(SnippetHost)
@ApiSchema({ description: 'Where the snippet is installed.' })
export class SnippetInstallation {
  @Timestamp({
    nullable: true,
    description:
      'When the server last delivered the snippet, or received a message from it. Null if neither has happened since `since`.',
  })
  last_seen_at: string | null;

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(SnippetHost) },
    description: 'The last 20 hosts, most recently seen first.',
  })
  hosts: SnippetHost[];
}

@ApiSchema({ description: 'Messages from the last 60 minutes, or since `since` if that is later.' })
export class LastHour {
  @Output({ ...COUNT, description: 'Accepted messages, including duplicates and ignored ones.' })
  accepted: number;

  @Output({ ...COUNT, description: 'Messages that were rejected, or that arrived in refused requests.' })
  rejected: number;

  @Output({
    type: 'object',
    additionalProperties: COUNT,
    description: 'Rejected messages by reason; see `GET .../events/recent`.',
  })
  rejected_by_reason: Record<string, number>;

  @Output({ ...COUNT, description: "Errors in the project's code that snippets reported." })
  script_errors: number;
}

/** Outcomes of an experiment's sample ratio test. */
const SAMPLE_RATIOS = ['passed', 'mismatch', 'not_tested', 'no_participants'] as const;

@ApiSchema({ description: 'A running experiment.' })
export class RunningCheck {
  @Id('Id of the experiment.')
  id: number;

  @Name()
  name: string;

  @Output({ ...COUNT, description: 'Participants so far.' })
  participants: number;

  @Output({
    type: 'string',
    enum: [...SAMPLE_RATIOS],
    description:
      'Whether the participants match the shares, as far as their phases can be tested; `not_tested` while there are too few to detect a mismatch (see `can_detect_mismatch` in `results/info`).',
  })
  sample_ratio: (typeof SAMPLE_RATIOS)[number];
}

@ApiExtraModels(SnippetInstallation, LastHour, RunningCheck)
@ApiSchema({ description: "The project's installation status." })
export class Installation {
  @Timestamp({
    description:
      'Messages received before this time are unknown. Only `last_counted_at` and `experiments` come from the database.',
  })
  since: string;

  @Output({
    type: 'boolean',
    description:
      'Whether the status includes the messages of other server processes, which share them through Redis.',
  })
  is_shared: boolean;

  @Output({
    allOf: [{ $ref: getSchemaPath(SnippetInstallation) }],
    description: 'Where the snippet is installed.',
  })
  snippet: SnippetInstallation;

  @Timestamp({
    nullable: true,
    description: 'When the last message arrived, with any outcome. Null if none has arrived since `since`.',
  })
  last_message_at: string | null;

  @Timestamp({
    nullable: true,
    description: 'When the last accepted exposure arrived. Null if none has arrived since `since`.',
  })
  last_exposure_at: string | null;

  @Timestamp({
    nullable: true,
    description:
      'Time of the last stored event that counts in the results of an experiment. Null if there is none.',
  })
  last_counted_at: string | null;

  @Output({ allOf: [{ $ref: getSchemaPath(LastHour) }], description: 'Messages from the last 60 minutes.' })
  last_hour: LastHour;

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(RunningCheck) },
    description: 'The 20 most recently started running experiments.',
  })
  experiments: RunningCheck[];

  static readonly example: Installation = {
    since: '2026-05-01T06:00:00.000000Z',
    is_shared: false,
    snippet: {
      last_seen_at: '2026-05-01T09:30:02.125000Z',
      hosts: [{ host: 'shop.example.com', last_seen_at: '2026-05-01T09:30:02.125000Z' }],
    },
    last_message_at: '2026-05-01T09:30:02.125000Z',
    last_exposure_at: '2026-05-01T09:30:00.125000Z',
    last_counted_at: '2026-05-01T09:30:00.000000Z',
    last_hour: {
      accepted: 1250,
      rejected: 3,
      rejected_by_reason: { unknown_event: 2, bot: 1 },
      script_errors: 0,
    },
    experiments: [{ id: 1001, name: 'Green buy button', participants: 10_240, sample_ratio: 'passed' }],
  };
}
