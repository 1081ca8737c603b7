import { readFileSync } from 'node:fs'

const pem = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** The certificate of localhost and 127.0.0.1 that nobody else has signed, and its key. */
export const SELF_MADE = { key: pem('self-made-key.pem'), cert: pem('self-made-certificate.pem') }
