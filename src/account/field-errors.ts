/** What is wrong with the fields of a form. */
export type FieldErrors<Form> = { readonly [Field in keyof Form]?: string };
