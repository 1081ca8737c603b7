import { Buffer } from 'node:buffer'
import { parentPort, workerData } from 'node:worker_threads'
import { Liquid } from 'liquidjs'

/**
 * The thread that fills templates (`template.ts`). It has no files, and a template sees nothing but the fields that it is given.
 *
 * @typedef {{ template: string, fields: Record<string, string> }} Question
 * @typedef {{ filled: string } | { fault: string }} Answer
 */
const { limits, maxBytes } = workerData
const engine = new Liquid({
  ...limits,
  templates: {},
  ownPropertyOnly: true,
  strictFilters: true,
  strictVariables: true,
})

/** @type {(question: Question) => Answer} */
function fill({ template, fields }) {
  try {
    const filled = String(engine.parseAndRenderSync(template, fields))
    // This is judged here, so that the process is not sent megabytes.
    if (Buffer.byteLength(filled) > maxBytes)
      return { fault: `what it makes is larger than ${maxBytes} bytes` }
    return { filled }
  } catch (error) {
    return { fault: String(error?.message).split('\n')[0] }
  }
}

// What Node compiles at the first use takes longer than most templates.
fill({ template: '{% if text %}{{ text | json }}{% endif %}', fields: { text: '' } })

parentPort.on('message', (question) => parentPort.postMessage(fill(question)))
parentPort.postMessage('ready')
