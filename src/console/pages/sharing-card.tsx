import { roleAllows } from '../../platform/access/roles';
import type { Frame } from '../../account/pages/frame';
import { CopiedText } from '../../presentation/components/copied-text';
import { NEW_LINK_FORM, SHARING_FORM } from '../experiment-forms/sharing-forms';
import type { ExperimentSubject } from '../experiment-subject';

interface SharingCardProps {
  frame: Frame;
  subject: ExperimentSubject;
  /** Null if the results are not shared. */
  url: string | null;
}

/** The share link, with its switch and its replacement for users who may change them. */
export function SharingCard({ frame, subject, url }: SharingCardProps) {
  const canEdit = roleAllows(subject.role, SHARING_FORM.permission(subject));
  return (
    <section class="card stack" aria-labelledby="sharing">
      <h2 id="sharing">Share results</h2>
      {url === null ? (
        <p class="muted">The results are not shared. Only members of the team can view them.</p>
      ) : (
        <>
          <p class="muted">Anyone with this link can view the results without signing in.</p>
          <CopiedText id="share-url" label="Link">
            {url}
          </CopiedText>
        </>
      )}
      <ul class="action-links plain-list screen-only">
        {url !== null && (
          <li>
            <a href={url}>Open shared results</a>
          </li>
        )}
        {canEdit && (
          <li>
            <a href={`${frame.base}${SHARING_FORM.path(subject)}`}>
              {url === null ? 'Share the results' : 'Stop sharing'}
            </a>
          </li>
        )}
        {canEdit && url !== null && (
          <li>
            <a href={`${frame.base}${NEW_LINK_FORM.path(subject)}`}>Replace the link</a>
          </li>
        )}
      </ul>
    </section>
  );
}
