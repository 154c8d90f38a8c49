import { LegendEntry } from '../../presentation/components/legend-entry';
import { Table } from '../../presentation/components/table';
import type { SeriesLook } from '../../presentation/plots/series';
import { formatCount, formatShare } from '../../presentation/text/numbers';
import type { ExperimentResults, GoalResults } from '../../results/experiment-results';

const WIDTH = 160;
const HEIGHT = 14;

/** A share as a bar for a table cell. The figure is next to it, so it needs no accessible name. */
function ShareBar({ share, color }: { share: number; color: string }) {
  const filled = Math.round(share * WIDTH * 10) / 10;
  return (
    <svg class="bar" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      <rect y="4" width={WIDTH} height="6" rx="3" fill="var(--grid)" />
      {filled > 0 && <rect y="4" width={filled} height="6" rx={Math.min(3, filled / 2)} fill={color} />}
    </svg>
  );
}

interface ParticipantsProps {
  results: Pick<ExperimentResults, 'participants' | 'entered'>;
  variations: GoalResults['variations'];
  looks: ReadonlyMap<number, SeriesLook>;
}

/** The traffic split, which is the same for all goals. */
export function Participants({ results, variations, looks }: ParticipantsProps) {
  const { participants: total, entered } = results;
  const columns = [
    { key: 'variation', title: 'Variation' },
    { key: 'participants', title: 'Participants', isNumeric: true },
    { key: 'share', title: 'Share', isNumeric: true },
  ];
  const rows = variations.map(({ id, name }) => {
    const participants = entered.get(id) ?? 0;
    const share = total === 0 ? 0 : participants / total;
    const look = looks.get(id);
    return {
      key: id,
      cells: [
        <LegendEntry name={name} look={look} />,
        formatCount(participants),
        <span class="share">
          <ShareBar share={share} color={look?.color ?? 'currentColor'} />
          {formatShare(share)}
        </span>,
      ],
    };
  });
  return (
    <div class="participants">
      <h3>Traffic split</h3>
      <Table
        caption="Participants of each variation"
        hidesCaption
        columns={columns}
        rows={rows}
        form="cards"
      />
    </div>
  );
}
