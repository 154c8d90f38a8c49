import { Name } from '../../presentation/components/text';
import { passedDays, roughDays } from '../../presentation/text/words';
import type { ExperimentResults } from '../../results/experiment-results';
import type { Headline } from '../headline';
import type { VerdictText } from '../verdict-text';
import { Facts } from './masthead';
import { ToneIcon } from './badges';

interface VerdictBoxProps extends VerdictText {
  /** The decision to make, if any. */
  decision: string | null;
}

/** A verdict as text, with the decision to make. */
function VerdictBox({ tone, label, headline, details, progress, decision }: VerdictBoxProps) {
  return (
    <div class={`verdict tone-${tone}`}>
      <ToneIcon tone={tone} />
      <p class="verdict-label">{label}</p>
      <div class="verdict-text">
        <p class="verdict-headline">{headline}</p>
        {details.map((detail, index) => (
          <p key={index}>{detail}</p>
        ))}
        {decision !== null && <p class="decision">{decision}</p>}
        {progress !== null && <Way {...progress} />}
      </div>
    </div>
  );
}

/** The estimated progress towards a conclusive result. */
function Way({ daysRunning, daysLeft }: { daysRunning: number; daysLeft: number }) {
  const whole = daysRunning + daysLeft;
  return (
    <div class="way">
      <progress
        max={100}
        value={whole === 0 ? 0 : Math.round((daysRunning / whole) * 100)}
        aria-label="Estimated days until the result is certain"
      />
      <p class="way-ends">
        <span>{passedDays(daysRunning)} done</span>
        <span>{roughDays(daysLeft)} to go</span>
      </p>
    </div>
  );
}

interface HeadlineBoxProps {
  /** Null if there is no goal or a notice replaces the headline. */
  headline: Headline | null;
  results: ExperimentResults;
}

/** The result as text, the decision to make, and the key figures. */
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
