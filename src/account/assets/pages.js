'use strict';

/* Copy buttons, confirmation dialogs, double clicks, local times and URLs. The pages work without this script. */

/** Browsers offer the clipboard API only on https and localhost. Elsewhere this copies the selected text. */
async function copyFrom(source) {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    return true;
  }
  select(source);
  return document.execCommand('copy');
}

/** Selects the value of a field, or the text of another element. */
function select(source) {
  if ('value' in source) {
    source.select();
  } else {
    getSelection().selectAllChildren(source);
  }
}

for (const button of document.querySelectorAll('[data-copies]')) {
  const source = document.getElementById(button.dataset.copies);
  const said = document.getElementById(button.dataset.says);
  button.hidden = false;
  button.addEventListener('click', async () => {
    const isCopied = await copyFrom(source).catch(() => false);
    if (!isCopied) {
      select(source);
    }
    said.textContent = isCopied
      ? 'Copied.'
      : 'Your browser blocked copying. The text is selected; copy it manually.';
  });
}

for (const link of document.querySelectorAll('[data-dialog]')) {
  const dialog = document.getElementById(link.dataset.dialog);
  link.addEventListener('click', (event) => {
    event.preventDefault();
    dialog.querySelector('form').action = link.href;
    dialog.querySelector('[data-name]').textContent = link.dataset.name;
    dialog.showModal();
  });
}

for (const button of document.querySelectorAll('dialog [data-closes]')) {
  button.hidden = false;
  button.addEventListener('click', () => button.closest('dialog').close());
}

/**
 * How long, in milliseconds, a form cannot be submitted again. Without this limit, the second submission of a double
 * click would replace the response that contains a new secret.
 */
const AGAIN_AFTER_MS = 2000;

for (const form of document.querySelectorAll('form[method="post"]')) {
  let submittedAt = -Infinity;
  form.addEventListener('submit', (event) => {
    if (event.timeStamp - submittedAt < AGAIN_AFTER_MS) {
      event.preventDefault();
    } else {
      submittedAt = event.timeStamp;
    }
  });
}

/** Times are written in UTC. Users in other time zones also see their local time. */
for (const time of document.querySelectorAll('time[datetime*="T"]')) {
  const moment = new Date(time.dateTime);
  if (moment.getTimezoneOffset() !== 0 && time.textContent.endsWith('UTC')) {
    const local = document.createElement('span');
    const isOtherDay = moment.getDate() !== moment.getUTCDate();
    const day = isOtherDay ? { day: 'numeric', month: 'short' } : {};
    local.className = 'local-time';
    local.textContent = ` (${moment.toLocaleString('en-GB', { hour: '2-digit', minute: '2-digit', ...day })} local time)`;
    time.after(local);
  }
}

// Reloading the page that shows a new token must not create another token.
if (document.querySelector('[data-shown-once]') !== null) {
  history.replaceState(null, '', location.href);
}

// Reloading, going back or copying the URL must not repeat the message about a change.
const address = new URL(location.href);
if (address.searchParams.has('notice')) {
  address.searchParams.delete('notice');
  history.replaceState(null, '', address);
}
