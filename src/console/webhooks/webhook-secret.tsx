/** A secret with a copy button. No other page shows it. */
export function WebhookSecret({ secret }: { secret: string }) {
  return (
    <section class="card new-token" aria-labelledby="secret-title" data-shown-once>
      <h2 id="secret-title">Copy the secret now</h2>
      <p>It is shown only once. The receiver needs it to verify messages.</p>
      <div class="field">
        <label for="secret">Secret</label>
        <div class="copied">
          <input type="text" id="secret" value={secret} readonly autocomplete="off" spellcheck={false} />
          <button class="button" type="button" data-copies="secret" data-says="copy-status" hidden>
            Copy
          </button>
        </div>
        <span class="small muted" id="copy-status" role="status" />
      </div>
    </section>
  );
}
