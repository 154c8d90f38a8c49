/** In place of a figure that is not there, with the reason for who cannot see the dash. */
export function None({ reason = 'none' }: { reason?: string }) {
  return (
    <span class="muted">
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">{reason}</span>
    </span>
  );
}
