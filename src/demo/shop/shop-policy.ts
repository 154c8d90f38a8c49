/**
 * The content security policy of the shop. It is as strict as the snippet allows: no inline scripts or styles, and
 * trusted types. The snippet and its requests use the server's origin.
 */
export function shopPolicy(publicUrl: string): string {
  const { origin } = new URL(publicUrl);
  return [
    "default-src 'none'",
    `script-src 'self' ${origin}`,
    `connect-src ${origin}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "require-trusted-types-for 'script'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
