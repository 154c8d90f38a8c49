'use strict';

/* Copy buttons and confirmation dialogs. The pages do without this script. */

/** The clipboard of browsers is there on https and localhost only; elsewhere the selected text is copied. */
async function copyFrom(field) {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(field.value);
    return true;
  }
  field.select();
  return document.execCommand('copy');
}

for (const button of document.querySelectorAll('[data-copies]')) {
  const field = document.getElementById(button.dataset.copies);
  const said = document.getElementById(button.dataset.says);
  button.hidden = false;
  button.addEventListener('click', async () => {
    const isCopied = await copyFrom(field).catch(() => false);
    if (!isCopied) {
      field.select();
    }
    said.textContent = isCopied
      ? 'Copied.'
      : 'Your browser does not copy. The text is selected; copy it yourself.';
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

// Loading the page again that shows a new token must not make another one.
if (document.querySelector('[data-shown-once]') !== null) {
  history.replaceState(null, '', location.href);
}
