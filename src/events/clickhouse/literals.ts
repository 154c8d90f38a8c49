/* Values in the text of ClickHouse statements. Lists are too long for parameters, which are part of the address. */

/** A text; visitor ids may have quotes and backslashes. */
export const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

export const integer = (value: number | bigint): string => BigInt(value).toString();

/** `[1,2]` */
export const integers = (values: readonly number[]): string => `[${values.map(integer).join(',')}]`;

/** Rows as a table expression. @param structure `name Type, ...` */
export const rowsOf = (structure: string, rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? `null(${quoted(structure)})`
    : `values(${quoted(structure)}, ${rows.map((row) => `(${row.join(',')})`).join(',')})`;
