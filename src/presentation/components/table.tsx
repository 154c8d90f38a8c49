import type { ComponentChildren } from 'preact';

export interface Column {
  key: string;
  title: string;
  /** Whether the column is numeric, and therefore right-aligned. */
  isNumeric?: boolean;
  /**
   * Set for a first column whose cells are not names. Cards then show the column title above the cell, as for other
   * columns.
   */
  isTitled?: boolean;
  /** Whether cards put the cell on a separate line. */
  isWide?: boolean;
  /** Whether the column is not printed. */
  isScreenOnly?: boolean;
}

const classes = (names: Record<string, boolean | undefined>): string | undefined =>
  Object.keys(names)
    .filter((name) => names[name])
    .join(' ') || undefined;

export interface Row {
  key: string | number;
  /** In column order. The first cell names the row. */
  cells: ComponentChildren[];
}

interface TableProps {
  caption: ComponentChildren;
  /** Whether the caption is for screen readers only. */
  hidesCaption?: boolean;
  columns: readonly Column[];
  rows: readonly Row[];
  /** `cards`: on narrow pages each row becomes a block, with titles next to the figures. */
  form?: 'plain' | 'cards';
}

/** A table of figures. */
export function Table({ caption, hidesCaption = false, columns, rows, form = 'plain' }: TableProps) {
  const roles = form === 'cards' ? ROLES : NO_ROLES;
  return (
    <table class={`table table-${form}`} role={roles.table}>
      <caption class={hidesCaption ? 'visually-hidden' : undefined}>{caption}</caption>
      <thead role={roles.group}>
        <tr role={roles.row}>
          {columns.map(({ key, title, isNumeric, isScreenOnly }) => (
            <th
              key={key}
              scope="col"
              role={roles.columnTitle}
              class={classes({ number: isNumeric, 'screen-only': isScreenOnly })}
            >
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role={roles.group}>
        {rows.map(({ key, cells }) => (
          <tr key={key} role={roles.row}>
            {cells.map((cell, index) => (
              <Cell key={index} column={columns[index]} isFirst={index === 0} form={form}>
                {cell}
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * The implicit ARIA roles, set explicitly because browsers drop these roles if a style sheet turns rows into blocks.
 */
const ROLES = {
  table: 'table',
  group: 'rowgroup',
  row: 'row',
  columnTitle: 'columnheader',
  rowTitle: 'rowheader',
  cell: 'cell',
} as const;

const NO_ROLES: { [Part in keyof typeof ROLES]?: undefined } = {};

interface CellProps {
  column: Column | undefined;
  isFirst: boolean;
  form: NonNullable<TableProps['form']>;
  children: ComponentChildren;
}

function Cell({ column, isFirst, form, children }: CellProps) {
  const isCard = form === 'cards';
  const roles = isCard ? ROLES : NO_ROLES;
  const look = classes({
    number: column?.isNumeric,
    wide: isCard && column?.isWide,
    'screen-only': column?.isScreenOnly,
  });
  const title = isCard && (!isFirst || column?.isTitled) ? column?.title : undefined;
  return isFirst ? (
    <th scope="row" role={roles.rowTitle} class={look} data-title={title}>
      {children}
    </th>
  ) : (
    <td role={roles.cell} class={look} data-title={title}>
      {children}
    </td>
  );
}
