import { formatCount, formatShare } from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import type { ExperimentResults } from '../../results/experiment-results';

type Crossed = Pick<ExperimentResults, 'participants' | 'crossovers'>;

/** The notice about many crossovers, with what to do. */
export function CrossoverNotice({ participants, crossovers }: Crossed) {
  const share = participants > 0 ? ` (${formatShare(crossovers / participants)})` : '';
  return (
    <section class="notice" aria-labelledby="crossovers">
      <h2 id="crossovers">Many crossovers</h2>
      <p>
        {plural(crossovers, 'participant')} of {formatCount(participants)}
        {share} were later shown another variation too. They count in their first variation, so the measured
        difference is smaller than the true one.
      </p>
      <p>
        Check that visitors keep their id: on all pages and subdomains, after signing in, and on servers that
        decide. Up to 1{'\u202f'}% is normal, because people delete their cookies.
      </p>
    </section>
  );
}
