// What the pages can do without but is kinder with: times in the reader's zone, buttons that copy.

function showLocalTimes(root) {
  for (const time of root.querySelectorAll('time[datetime]:not([title])')) {
    const moment = new Date(time.dateTime)
    time.title = time.textContent
    time.textContent = moment.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
  }
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

showLocalTimes(document)
for (const button of document.querySelectorAll('button[data-copy]')) button.hidden = false
document.addEventListener('htmx:after:swap', () => showLocalTimes(document))
