import { renderPage } from '../../presentation/layout';
import { Frame, FramedPage } from './frame';

/** A form that cannot be used any more. */
export const FORM_EXPIRED = 'form expired';

interface Problem {
  title: string;
  text: string;
}

const EXPIRED: Problem = {
  title: 'This form cannot be used any more',
  text:
    'Nothing was changed. The form was filled in before you signed in or out, perhaps in another tab, or your browser ' +
    'keeps no cookies, or another site has sent it. Open the page again, and fill in its form anew.',
};

const UNEXPECTED: Problem = {
  title: 'Something went wrong',
  text: 'It is not your fault, and it was noted in the log of the server. Try again later.',
};

const NOTHING_HERE: Problem = {
  title: 'There is nothing here',
  text: 'The address may be incomplete, or what it led to is gone.',
};

const PROBLEMS: Readonly<Record<number, Problem>> = {
  403: { title: 'You may not do this', text: 'Nothing was changed.' },
  404: NOTHING_HERE,
  405: NOTHING_HERE,
  413: { title: 'This is too long', text: 'Nothing was changed. Shorten what you have typed.' },
  503: {
    title: 'The server is busy',
    text: 'It cannot reach its database, or it is being restarted. Try again in a moment.',
  },
};

/** The page for what cannot be done, by the status of the answer. */
export function renderErrorPage(frame: Frame, problem: number | typeof FORM_EXPIRED): string {
  const { title, text } = problem === FORM_EXPIRED ? EXPIRED : (PROBLEMS[problem] ?? otherProblem(problem));
  return renderPage(
    <FramedPage frame={frame} title={title}>
      <main class="card sign-in">
        <h1>{title}</h1>
        <p>{text}</p>
        <p class="actions">
          <a class="link-button" href={`${frame.base}/`}>
            Go to your experiments
          </a>
        </p>
      </main>
    </FramedPage>,
  );
}

const otherProblem = (status: number): Problem =>
  status >= 500 ? UNEXPECTED : { title: 'This does not work', text: 'Nothing was changed.' };
