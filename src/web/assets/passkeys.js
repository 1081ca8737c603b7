// A form with `data-passkey` is sent with what the browser's passkey answers. Without a script, or where the browser has no
// passkeys, it stays hidden: codes work everywhere.

async function answerWithPasskey(form) {
  const { passkey, options: path } = form.dataset
  const asked = await fetch(path, {
    method: 'POST',
    body: new URLSearchParams({ csrf: form.elements.csrf.value }),
    headers: { Accept: 'application/json' },
  })
  // The form is then sent without an answer, and its page says what is wrong: the session is over, or it needs the password.
  if (!asked.ok || !asked.headers.get('Content-Type')?.startsWith('application/json')) return ''
  const optionsJSON = await asked.json()
  const { startAuthentication, startRegistration } = SimpleWebAuthnBrowser
  const answer = await (passkey === 'add'
    ? startRegistration({ optionsJSON })
    : startAuthentication({ optionsJSON }))
  return JSON.stringify(answer)
}

// The package's own messages are meant for developers.
const FAULTS = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device already has a passkey for your account.',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT:
    'This device cannot verify you. Set a PIN on the security key, or use another device.',
}

document.addEventListener('submit', (event) => {
  const form = event.target.closest('form[data-passkey]')
  if (!form) return
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  answerWithPasskey(form)
    .then((answer) => {
      form.elements.secretCredential.value = answer
      form.submit()
    })
    .catch((error) => {
      button.disabled = false
      const said = form.querySelector('.passkey-fault')
      const isUserStopped = error.name === 'NotAllowedError'
      said.textContent = isUserStopped
        ? 'Cancelled or timed out. Nothing was changed.'
        : (FAULTS[error.code] ?? error.message)
    })
})

if (SimpleWebAuthnBrowser.browserSupportsWebAuthn()) {
  for (const form of document.querySelectorAll('form[data-passkey]')) form.hidden = false
}
