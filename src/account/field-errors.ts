/** Validation errors of a form, by field. */
export type FieldErrors<Form> = { readonly [Field in keyof Form]?: string };
