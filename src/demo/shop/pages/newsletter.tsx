/** Needs scripts. It only triggers the goal. */
export function Newsletter() {
  return (
    <section class="newsletter" aria-labelledby="newsletter">
      <h2 id="newsletter">News about tea</h2>
      <p>Once a month: what is in flower, and what is in the pot.</p>
      <button class="button subscribe" type="button">
        Subscribe
      </button>
    </section>
  );
}
