// What the pages can do without but is kinder with: times in the reader's zone, buttons that copy.

function showLocalTimes(root) {
  for (const time of root.querySelectorAll('time[datetime]:not([title])')) {
    const moment = new Date(time.dateTime)
    time.title = time.textContent
    const timeZone = time.dataset.zone
    time.textContent = moment.toLocaleString(undefined, {
      dateStyle: 'medium',
      timeStyle: 'medium',
      timeZone,
    })
  }
}

// A time is read in the zone that stands beside it: the reader's, unless the page has another. The list of the activity is
// shown in it too.
function offerOwnZone(choice) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!own) return
  if (![...choice.options].some(({ value }) => value === own)) {
    const option = document.createElement('option')
    option.value = option.textContent = own
    choice.append(option)
  }
  if (choice.dataset.zone !== 'own') return
  choice.value = own
  // Once: what the reader chooses afterwards stays.
  delete choice.dataset.zone
  for (const shown of document.querySelectorAll('span[data-zone]')) shown.textContent = own
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy)
  const label = button.textContent
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent)
    button.textContent = 'Copied'
  } catch {
    // Without a secure context there is no clipboard: what is selected can be copied by hand.
    getSelection().selectAllChildren(source)
    button.textContent = 'Press Ctrl+C'
  }
  setTimeout(() => (button.textContent = label), 2000)
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-copy]')
  if (button) void copy(button)
})

for (const choice of document.querySelectorAll('select[name="zone"]')) offerOwnZone(choice)
function showCopyButtons() {
  for (const button of document.querySelectorAll('button[data-copy]')) button.hidden = false
}

showLocalTimes(document)
showCopyButtons()
document.addEventListener('htmx:after:swap', () => {
  showLocalTimes(document)
  showCopyButtons()
  for (const choice of document.querySelectorAll('select[name="zone"]')) offerOwnZone(choice)
})
