/** One that nobody has; at the simulator it is a phone like any other. */
export const TRIAL_NUMBER = '+15005550199'

/** A line for a terminal that sends a message through an incoming webhook. The URL is ours: it has no quote in it. */
export function curlLine(url: string): string {
  const body = JSON.stringify({ intent: 'message', data: { toNumber: TRIAL_NUMBER, text: 'Hello' } })
  return `curl -d '${body}' '${url}'`
}
