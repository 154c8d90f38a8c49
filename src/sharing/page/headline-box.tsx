import { Name } from '../../presentation/components/text';
import type { ExperimentResults } from '../../results/experiment-results';
import type { Headline } from '../headline';
import { Facts } from './masthead';
import { VerdictBox } from './verdict-box';

interface HeadlineBoxProps {
  /** Null without a goal, and where a notice takes its place. */
  headline: Headline | null;
  results: ExperimentResults;
}

/** The result in words, the decision to make, and the key figures. */
export function HeadlineBox({ headline, results }: HeadlineBoxProps) {
  return (
    <section class="card headline" aria-label="Result">
      {headline !== null && (
        <>
          <p class="eyebrow">
            Primary goal: <Name>{headline.goal}</Name>
          </p>
          <VerdictBox {...headline} details={[...headline.details, ...headline.harms]} />
        </>
      )}
      <Facts results={results} />
    </section>
  );
}
