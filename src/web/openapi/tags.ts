import type { ProductNames } from './product-names.js'

/** The groups of operations, in the order of the document; nothing but the simulator's is ever left out. */
export function describeTags({ line, lines, Line }: ProductNames) {
  return [
    [`${Line}s`, `Your ${lines}: their names, limits, and who has opted out of them.`],
    ['Developer connection', `What joins a ${line} to your own server.`],
    ['Incoming webhook', `The secret URL by which your programs send texts from a ${line}.`],
    ['Messages', `What your ${lines} sent and received, and sending by token.`],
    ['Deliveries', 'What became of each event.'],
    ['Applications', `Programs that you make for other people's ${lines}.`],
    ['Authorized applications', `Programs of others that you let at your ${lines}.`],
    ['OAuth', 'How users let applications at what is theirs: OAuth 2.0, authorization code grant.'],
    ['Outgoing webhook', 'What is posted to your server.'],
    ['Simulator', 'A network of telephones that are none, to try things out.'],
    ['Service', 'Whether the service is well, and this document.'],
  ].map(([name, description]) => ({ name, description }))
}
