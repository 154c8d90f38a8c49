import { Permission, Role, rolesWith } from '../../platform/access/roles';
import { renderPage } from '../../presentation/layout';
import { listed } from '../../common/text/strings';
import { Content, Frame, FramedPage } from './frame';

/** The reason for rejecting a form without a valid CSRF token. */
export const FORM_EXPIRED = 'form expired';

/** The reason for an unanswered form while the server is busy. */
export const FORM_UNANSWERED = 'form unanswered';

interface Problem {
  title: string;
  text: string;
}

const EXPIRED: Problem = {
  title: 'This form has expired',
  text:
    'Nothing was changed. You signed in or out after you opened the form, your browser blocks cookies, or another ' +
    'site sent the form. Reload the page and fill in the form again.',
};

/** The title of pages that say that the server is busy. */
export const BUSY = 'The server is busy';

/** Why the server is busy, as a sentence after the title. */
export const BUSY_REASON = 'It is overloaded or restarting, or cannot reach its database.';

const UNANSWERED: Problem = {
  title: BUSY,
  text: `${BUSY_REASON} Reload this page in a moment to send the form again.`,
};

const UNEXPECTED: Problem = {
  title: 'Something went wrong',
  text: 'The server logged the error. Try again later.',
};

const NOTHING_HERE: Problem = {
  title: 'Page not found',
  text: 'The address may be incomplete, or the page was deleted.',
};

const PROBLEMS: Readonly<Record<number, Problem>> = {
  403: {
    title: 'You do not have permission',
    text: 'A team admin can give you another role.',
  },
  404: NOTHING_HERE,
  405: NOTHING_HERE,
  413: { title: 'The form is too long', text: 'Nothing was changed. Shorten your input.' },
  503: { title: BUSY, text: `${BUSY_REASON} Try again in a moment.` },
};

type ProblemKey = number | typeof FORM_EXPIRED | typeof FORM_UNANSWERED;

function problemOf(key: ProblemKey): Problem {
  if (typeof key === 'number') {
    return PROBLEMS[key] ?? otherProblem(key);
  }
  return key === FORM_EXPIRED ? EXPIRED : UNANSWERED;
}

/** What the error page of a request says for a status. */
export const problemIn = ({ method }: { method: string }, status: number): ProblemKey =>
  status === 503 && method === 'POST' ? FORM_UNANSWERED : status;

/**
 * The error page for a response status.
 * @param reason the cause, if the user may know it
 */
export function renderErrorPage(frame: Frame, problem: ProblemKey, reason: string | null = null): string {
  const { title, text } = problemOf(problem);
  return renderPage(
    <FramedPage frame={frame} title={title}>
      <Content class="card sign-in">
        <h1>{title}</h1>
        {reason !== null && <p>{reason}</p>}
        <p>{text}</p>
        <p class="actions">
          <a class="link-button" href={`${frame.base}/`}>
            Go to your experiments
          </a>
        </p>
      </Content>
    </FramedPage>,
  );
}

const otherProblem = (status: number): Problem =>
  status >= 500 ? UNEXPECTED : { title: 'The request failed', text: 'Nothing was changed.' };

/** `Your role in the team is viewer. Only publishers and admins can do this.` */
export const whoMay = (role: Role, permission: Permission): string =>
  `Your role in the team is ${role}. Only ${listed(rolesWith(permission).map((each) => `${each}s`))} can do this.`;
