import { newId } from '../../ids.js'
import { newToken } from '../../secrets.js'

/** The copy that a message waits for. `url` is what its sender named, and `token` is part of the copy's own URL. */
export function outboundMedia(url: string): { id: string; url: string; token: string } {
  return { id: newId(), url, token: newToken() }
}
