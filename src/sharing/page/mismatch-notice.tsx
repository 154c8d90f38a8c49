import { Name } from '../../presentation/components/name';
import { Table } from '../../presentation/components/table';
import { formatCount, formatShare } from '../../presentation/text/numbers';
import { MISMATCH_HEADING, mismatchWords, ShareMismatch, WHOM } from '../share-mismatch';

const COLUMNS = [
  { key: 'variation', title: 'Variation' },
  { key: 'participants', title: 'Participants', isNumeric: true },
  { key: 'share', title: 'Share', isNumeric: true },
  { key: 'expected', title: 'Expected share', isNumeric: true },
];

/** Says above everything that the figures mislead, and what to do about it. */
export function MismatchNotice({ mismatches }: { mismatches: readonly ShareMismatch[] }) {
  return (
    <section class="notice" aria-labelledby="mismatch">
      <h2 id="mismatch">{MISMATCH_HEADING}</h2>
      <p>
        {mismatchWords(mismatches)} That hardly ever happens by chance: visitors are lost or counted in one
        variation more than in another, and the figures below may be wrong in either direction.
      </p>
      {mismatches.map((mismatch) => (
        <Division key={mismatch.whom} {...mismatch} />
      ))}
      <ol>
        <li>Decide nothing on these figures.</li>
        <li>
          Look for what treats the variations differently: a redirect, an error in the code of one variation,
          slow loading, bots, or shares that were changed on the way.
        </li>
        <li>Repair it, then start the experiment anew, as a copy.</li>
      </ol>
    </section>
  );
}

/** The shares as they are beside those that they should be. */
function Division({ whom, variations }: ShareMismatch) {
  const rows = variations.map(({ id, name, participants, share, expectedShare }) => ({
    key: id,
    cells: [<Name>{name}</Name>, formatCount(participants), formatShare(share), formatShare(expectedShare)],
  }));
  return rows.length === 0 ? null : (
    <Table caption={`Shares of ${WHOM[whom]}`} columns={COLUMNS} rows={rows} form="cards" />
  );
}
