import { carrierOf } from '../kit.js'
import { http } from './http.js'

/** Any carrier that takes one HTTP request for each message, and calls us about what comes in. */
export const httpKind = carrierOf(http)
