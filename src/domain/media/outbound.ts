import { newId } from '../../ids.js'
import { newToken } from '../../secrets.js'

/** The copy that a message waits for, of what its sender named; `token` is of the URL at which it will be. */
export function outboundMedia(url: string): { id: string; url: string; token: string } {
  return { id: newId(), url, token: newToken() }
}
