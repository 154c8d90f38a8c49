import { Name } from '../../presentation/components/text';
import { Table } from '../../presentation/components/table';
import { formatCount, formatShare } from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import type { ExperimentResults } from '../../results/experiment-results';
import { MISMATCH_HEADING, mismatchWords, ShareMismatch, WHOM } from '../share-mismatch';

type Crossed = Pick<ExperimentResults, 'participants' | 'crossovers'>;

/** The notice about many crossovers, with what to do. */
export function CrossoverNotice({ participants, crossovers }: Crossed) {
  const share = participants > 0 ? ` (${formatShare(crossovers / participants)})` : '';
  return (
    <section class="notice" aria-labelledby="crossovers">
      <h2 id="crossovers">Many crossovers</h2>
      <p>
        {plural(crossovers, 'participant')} of {formatCount(participants)}
        {share} were later shown another variation. They count in their first variation, so the measured
        difference is smaller than the true one.
      </p>
      <p>
        Check that visitors keep their id: on all pages and subdomains, after signing in, and on servers that
        decide. Up to 1{'\u202f'}% is normal, because people delete their cookies.
      </p>
    </section>
  );
}

const COLUMNS = [
  { key: 'variation', title: 'Variation' },
  { key: 'participants', title: 'Participants', isNumeric: true },
  { key: 'share', title: 'Share', isNumeric: true },
  { key: 'expected', title: 'Expected share', isNumeric: true },
];

/** The notice about a sample ratio mismatch, with the steps to take. */
export function MismatchNotice({ mismatches }: { mismatches: readonly ShareMismatch[] }) {
  return (
    <section class="notice" aria-labelledby="mismatch">
      <h2 id="mismatch">{MISMATCH_HEADING}</h2>
      <p>
        {mismatchWords(mismatches)} This hardly ever happens by chance. More visitors are lost or counted in
        one variation than in another, and the figures below can be wrong in either direction.
      </p>
      {mismatches.map((mismatch) => (
        <Division key={mismatch.whom} {...mismatch} />
      ))}
      <ol>
        <li>Do not base decisions on these figures.</li>
        <li>
          Find the cause. Common causes are a redirect, an error in the code of one variation, slow loading,
          bots, or shares that were changed during the experiment.
        </li>
        <li>Fix the cause, then clone the experiment and start the clone.</li>
      </ol>
    </section>
  );
}

/** Actual and expected shares. */
function Division({ whom, variations }: ShareMismatch) {
  const rows = variations.map(({ id, name, participants, share, expectedShare }) => ({
    key: id,
    cells: [<Name>{name}</Name>, formatCount(participants), formatShare(share), formatShare(expectedShare)],
  }));
  return rows.length === 0 ? null : (
    <Table caption={`Shares of ${WHOM[whom]}`} columns={COLUMNS} rows={rows} form="cards" />
  );
}
