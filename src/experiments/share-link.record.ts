import { ApiSchema, OmitType } from '@nestjs/swagger';
import { Unstored } from '../common/openapi/operation';
import { Output } from '../common/validation/fields';
import { Id } from '../common/validation/record-fields';
import type { Experiment } from './experiment.entity';
import { SHARED } from './experiment-descriptions';

/* Descriptions shared by the share link and `results/info`. */
export const SHARE_TOKEN = 'Secret token of the share link; null if the experiment is not shared.';
export const SHARE_URL =
  'The share link. Anyone with this link can view the results. Null if the experiment is not shared.';

/** The URL of shared results. */
export const shareUrl = (publicUrl: string, token: string): string => `${publicUrl}/share/${token}`;

/** The link in responses: null if the experiment is not shared. */
export const shownLink = (
  publicUrl: string,
  { shared, share_token }: Pick<Experiment, 'shared' | 'share_token'>,
): Pick<ShareLinkRecord, 'share_token' | 'share_url'> =>
  shared
    ? { share_token, share_url: shareUrl(publicUrl, share_token) }
    : { share_token: null, share_url: null };

@ApiSchema({ description: 'The share link of an experiment.' })
export class ShareLinkRecord {
  @Id('Id of the experiment.')
  id: number;

  @Output({ type: 'boolean', description: SHARED })
  shared: boolean;

  @Output({ type: 'string', nullable: true, description: SHARE_TOKEN })
  share_token: string | null;

  @Output({ type: 'string', format: 'uri', nullable: true, description: SHARE_URL })
  share_url: string | null;

  static readonly example: ShareLinkRecord = {
    id: 1001,
    shared: true,
    share_token: 'pVQ3n0cWm1wzXJkYx5uTt8Zb6qRd2sGh4fLjKaEoCvI',
    share_url: 'https://ab.example.com/share/pVQ3n0cWm1wzXJkYx5uTt8Zb6qRd2sGh4fLjKaEoCvI',
  };
}

@ApiSchema({ description: 'The share link of an experiment in a dry run, without the new token.' })
export class DryRunShareLinkRecord extends OmitType(ShareLinkRecord, ['share_token', 'share_url']) {
  @Unstored()
  share_token: null;

  @Unstored()
  share_url: null;

  static readonly example: DryRunShareLinkRecord = toUnstoredLink(ShareLinkRecord.example);
}

/** A token from a dry run never works, so it is not shown. */
export function toUnstoredLink(record: ShareLinkRecord): DryRunShareLinkRecord {
  return { ...record, share_token: null, share_url: null };
}
